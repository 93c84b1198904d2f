#include <gmock/gmock.h>

#include "base/utf8.h"
#include "contract/contract_cases.h"

namespace husk::contract::yoi_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Contract& yoi = yoi_contract;

std::string arguments_for(const std::string& command) { return Json{{"command", command}}.dump(); }

std::string text(const Happened& happened, const std::string& command = "x") {
    const Answer said = answer_to(yoi, "Bash", arguments_for(command), happened);
    EXPECT_FALSE(said.is_error);
    EXPECT_FALSE(said.structured);
    return said.text;
}

std::string lines(int from, int to) {
    std::string all;
    for (int i = from; i <= to; ++i) all += "line " + std::to_string(i) + "\n";
    return all;
}

// BashParams: what is taken, and what is not.
TEST(Yoi, Params_SayWhatIsWrong) {
    struct {
        const char* input;
        const char* text;
    } const wrong[] = {
        {R"({})", "invalid Bash input: `command` is required"},
        {R"({"command": null})", "invalid Bash input: `command` is required"},
        {R"({"timeout": 5})", "invalid Bash input: `command` is required"},
        {R"({"command": 5})", "invalid Bash input: `command` must be a string, not the number 5"},
        {R"({"command": ["x"]})", "invalid Bash input: `command` must be a string, not a list"},
        {R"({"command": "x", "timeout": "5"})",
         "invalid Bash input: `timeout` must be an integer, not the string \"5\""},
        {R"({"command": "x", "timeout": ""})",
         "invalid Bash input: `timeout` must be an integer, not the string \"\""},
        {R"({"command": "x", "timeout": 1.5})",
         "invalid Bash input: `timeout` must be an integer, not the number 1.5"},
        {R"({"command": "x", "timeout": -1})",
         "invalid Bash input: `timeout` must be at least 0, not -1"},
        {R"({"command": "x", "timeout": true})",
         "invalid Bash input: `timeout` must be an integer, not true"},
        {R"(5)", "invalid Bash input: the arguments must be a JSON object, not the number 5"},
        {R"({"command": "x", "command": "x"})",
         "invalid Bash input: the key `command` stands twice"},
    };
    for (const auto& one : wrong) EXPECT_EQ(error_text(yoi, "Bash", one.input), one.text);
    EXPECT_THAT(error_text(yoi, "Bash", "not json"),
                StartsWith("invalid Bash input: this is not JSON: "));
}

TEST(Yoi, Params_ClampTheTimeout) {
    struct {
        const char* timeout;
        int seconds;
    } const cases[] = {
        {"null", 120}, {"0", 1},     {"1", 1},     {"2", 2},        {"119", 119},
        {"599", 599},  {"600", 600}, {"601", 600}, {"100000", 600}, {"9223372036854775807", 600}};
    for (const auto& one : cases) {
        const std::string input =
            R"({"command": "x", "timeout": )" + std::string(one.timeout) + "}";
        const Request request = run_of(yoi, "Bash", input).request;
        EXPECT_EQ(request.timeout, std::chrono::seconds(one.seconds)) << one.timeout;
        EXPECT_EQ(request.leftovers, Leftovers::Wait);
        EXPECT_EQ(request.on_timeout, OnTimeout::Kill);
    }
    EXPECT_EQ(run_of(yoi, "Bash", arguments_for("x")).request.timeout, std::chrono::seconds(120));
    EXPECT_TRUE(yoi.defaults.logs_end_with_session);
    EXPECT_TRUE(yoi.defaults.packs.empty());
}

// truncate_for_summary: the first line, in 80 characters.
TEST(Yoi, Summary_HasTheFirstLine) {
    const std::string a80(80, 'a');
    std::string umlauts80;
    for (int i = 0; i < 80; ++i) umlauts80 += "\xc3\xa4";
    struct {
        std::string command;
        std::string summary;
    } const cases[] = {
        {"echo hello", "$ echo hello"},
        {"", "$ "},
        {"a\nb", "$ a"},
        {"a\r\nb", "$ a"},
        {"\na", "$ "},
        {a80.substr(1), "$ " + a80.substr(1)},
        {a80, "$ " + a80},
        {a80 + "b", "$ " + a80.substr(0, 77) + "..."},
        {a80 + "\nb", "$ " + a80},
        {umlauts80, "$ " + umlauts80},
        {umlauts80 + "b", "$ " + umlauts80.substr(0, 2 * 77) + "..."},
    };
    for (const auto& one : cases) EXPECT_EQ(text({}, one.command), one.summary);
}

TEST(Yoi, Summary_TellsTheEnding) {
    struct {
        Ending ending;
        std::string output;
        std::string text;
    } const cases[] = {
        {Exited{0}, "", "$ x"},
        {Exited{0}, "hello\n", "$ x\nhello\n"},
        {Exited{0}, "hello", "$ x\nhello"},
        {Exited{7}, "", "$ x (exit 7)"},
        {Exited{7}, "no\n", "$ x (exit 7)\nno\n"},
        {Signaled{9}, "", "$ x (terminated by signal)"},
        {Signaled{15}, "a", "$ x (terminated by signal)\na"},
        {TimedOut{milliseconds(1000)}, "", "$ x (timed out after 1s)"},
        {TimedOut{milliseconds(1000)}, "a\n",
         "$ x (timed out after 1s)\n[partial output before timeout \xe2\x80\x94 full at "
         "/state/7.log]\na\n"},
        {Cancelled{""}, "", "$ x (cancelled)"},
        {LimitExceeded{"memory", 1, 2}, "", "$ x (stopped at the memory limit)"},
        {Lost{"why"}, "", "$ x (lost: why)"},
        {Exited{0}, "$ x (exit 9)\n[showing last 80 of 200 lines]\n",
         "$ x\n$ x (exit 9)\n[showing last 80 of 200 lines]\n"},
    };
    for (const auto& one : cases)
        EXPECT_EQ(text({.ending = one.ending, .out = one.output}), one.text);
    const Answer failed =
        answer_to(yoi, "Bash", arguments_for("x"), {.ending = NotStarted{{"fork", 0, "no"}}});
    EXPECT_EQ(failed.text, "spawn bash: fork: no");
    EXPECT_TRUE(failed.is_error);
    const Answer denied =
        answer_to_denied(yoi, "Bash", arguments_for("x"), verdict_of("r", "y", "no"));
    EXPECT_EQ(denied.text, "refused: no");
    EXPECT_TRUE(denied.is_error);
}

// Spilling: beyond 80 lines, or beyond 12 KiB.
TEST(Yoi, Spill_ShowsTheLast80Lines) {
    EXPECT_EQ(text({.out = lines(1, 79)}), "$ x\n" + lines(1, 79));
    EXPECT_EQ(text({.out = lines(1, 80)}), "$ x\n" + lines(1, 80));
    EXPECT_EQ(text({.out = lines(1, 81)}),
              "$ x\n[showing last 80 of 81 lines \xe2\x80\x94 full output (639 bytes) at "
              "/state/7.log]\n" +
                  lines(2, 81));
    EXPECT_EQ(text({.out = lines(1, 80) + "unfinished"}),
              "$ x\n[showing last 80 of 81 lines \xe2\x80\x94 full output (641 bytes) at "
              "/state/7.log]\n" +
                  lines(2, 80) + "unfinished");
    EXPECT_EQ(text({.out = std::string(81, '\n')}),
              "$ x\n[showing last 80 of 81 lines \xe2\x80\x94 full output (81 bytes) at "
              "/state/7.log]\n" +
                  std::string(80, '\n'));
    EXPECT_EQ(text({.ending = TimedOut{milliseconds(1000)}, .out = lines(1, 200)}),
              "$ x (timed out after 1s)\n[partial output before timeout \xe2\x80\x94 full at "
              "/state/7.log]\n" +
                  lines(121, 200));
}

TEST(Yoi, Spill_OverTwelveKibibytes) {
    const std::string most(12288, 'a');
    EXPECT_EQ(text({.out = most.substr(1)}), "$ x\n" + most.substr(1));
    EXPECT_EQ(text({.out = most}), "$ x\n" + most);
    EXPECT_EQ(text({.out = "b" + most}),
              "$ x\n[showing last 12288 bytes of 1 lines \xe2\x80\x94 full output (12289 bytes) at "
              "/state/7.log]\n" +
                  most);
    // 80 lines that fill the reply exactly, and one byte more.
    const std::string before = std::string(1000, 'z') + "\n";
    const std::string last = std::string(12288 - 79 * 2 - 1, 'b') + "\n";
    std::string eighty;
    for (int i = 0; i < 79; ++i) eighty += "a\n";
    eighty += last;
    ASSERT_EQ(eighty.size(), 12288U);
    EXPECT_EQ(text({.out = before + eighty}),
              "$ x\n[showing last 80 of 81 lines \xe2\x80\x94 full output (13289 bytes) at "
              "/state/7.log]\n" +
                  eighty);
    EXPECT_EQ(
        text({.out = before + "c" + eighty}),
        "$ x\n[showing last 12288 bytes of 81 lines \xe2\x80\x94 full output (13290 bytes) at "
        "/state/7.log]\n" +
            eighty);
}

TEST(Yoi, Spill_OfLargeOutputTellsItsBytes) {
    std::string large;
    while (large.size() < 262144 - 10) large += "123456789\n";
    large += std::string(262144 - large.size() - 1, 'x') + "\n";
    ASSERT_EQ(large.size(), 262144U);
    EXPECT_THAT(text({.out = large}),
                HasSubstr("lines \xe2\x80\x94 full output (262144 bytes) at "));
    EXPECT_THAT(
        text({.out = large + "\n"}),
        StartsWith("$ x\n[showing last 80 lines (tail of 262145-byte output) \xe2\x80\x94 full "
                   "at /state/7.log]\n123456789\n"));
}

// The file has a hole where output was not kept: the header never calls it full.
TEST(Yoi, Spill_OfAFileWithAHoleSaysHowMuchIsMissing) {
    const auto run = run_of(yoi, "Bash", arguments_for("x"));
    const auto said = [&](const Happened& happened) {
        Told told = told_of(run, happened);
        told.report.excerpt.complete = false;
        told.report.excerpt.dropped_bytes = 100;
        told.report.excerpt.dropped_because = "more than 200 bytes were written";
        const std::string all = yoi.render(run, told).text;
        return all.substr(0, all.find("]\n"));
    };
    EXPECT_EQ(said({.out = lines(1, 81)}),
              "$ x\n[showing last 80 of 81 lines \xe2\x80\x94 all but 100 bytes of the output (639 "
              "bytes) at /state/7.log");
    EXPECT_EQ(said({.out = std::string(12289, 'a')}),
              "$ x\n[showing last 12288 bytes of 1 lines \xe2\x80\x94 all but 100 bytes of the "
              "output (12289 bytes) at /state/7.log");
    EXPECT_EQ(said({.out = std::string(200'000, 'a') + std::string(100'000, '\n')}),
              "$ x\n[showing last 80 lines (tail of 300000-byte output) \xe2\x80\x94 all but 100 "
              "bytes at /state/7.log");
    EXPECT_EQ(said({.ending = TimedOut{milliseconds(1000)}, .out = lines(1, 200)}),
              "$ x (timed out after 1s)\n[partial output before timeout \xe2\x80\x94 all but 100 "
              "bytes at /state/7.log");
}

TEST(Yoi, Spill_NeverCutsACharacter) {
    for (size_t shift = 0; shift < 4; ++shift) {
        const std::string output =
            cut_anywhere(20000, "\xf0\x9f\x8c\xb0") + std::string(shift, 'x');
        const std::string said = text({.out = output});
        EXPECT_TRUE(text::is_utf8(said)) << shift;
        EXPECT_LE(said.size(), 12288U + 150);
    }
}

TEST(Yoi, Description_TellsTheFactsOfTheOriginal) {
    const Json tool = tool_json(yoi.tools(in_work())[0]);
    const std::string description = tool["description"];
    for (const char* fact : {"fresh shell", "merged", "120s, max 600s", "80 lines", "LAST 80 lines",
                             "12 KiB", "Prefer dedicated tools", "chain `cd <dir> && cmd`"})
        EXPECT_THAT(description, HasSubstr(fact));
    EXPECT_EQ(tool["name"], "Bash");
    EXPECT_EQ(tool["inputSchema"]["required"], Json::array({"command"}));
    EXPECT_FALSE(tool.contains("outputSchema"));
}

// ToolOutput: `summary` and `content`. A host can have them apart.
TEST(Yoi, Output_HasSummaryAndContentApart) {
    const auto apart = [](const Happened& happened, const std::string& command) {
        const Answer said = answer_to(yoi, "Bash", arguments_for(command), happened);
        const Json& output = said.meta.at("husk/output");
        const std::string summary = output["summary"];
        const bool has_content = !output["content"].is_null();
        EXPECT_EQ(text::to_utf8(said.text),
                  has_content ? summary + "\n" + output["content"].get<std::string>() : summary);
        return output;
    };
    EXPECT_EQ(apart({.out = "hello\n"}, "echo hello"),
              (Json{{"summary", "$ echo hello"}, {"content", "hello\n"}}));
    EXPECT_EQ(apart({.ending = Exited{7}}, "exit 7"),
              (Json{{"summary", "$ exit 7 (exit 7)"}, {"content", nullptr}}));
    EXPECT_THAT(apart({.out = lines(1, 200)}, "x")["content"].get<std::string>(),
                StartsWith("[showing last 80 of 200 lines "));
    EXPECT_EQ(apart({.out = "\n"}, "x")["content"], "\n");
    EXPECT_EQ(apart({.out = "\xff"}, "x")["content"], "\xef\xbf\xbd");
}

TEST(Yoi, Spill_PointsToAFileOnlyIfTheOutputIsLong) {
    const auto run = run_of(yoi, "Bash", arguments_for("x"));
    const auto points = [&](const Happened& happened) {
        return yoi.points_to_file(told_of(run, happened));
    };
    EXPECT_FALSE(points({}));
    EXPECT_FALSE(points({.out = lines(1, 80)}));
    EXPECT_FALSE(points({.out = std::string(12288, 'x')}));
    EXPECT_TRUE(points({.out = lines(1, 81)}));
    EXPECT_TRUE(points({.out = std::string(12289, 'x')}));
    EXPECT_TRUE(points({.ending = TimedOut{milliseconds(1000)}, .out = "x"}));
    EXPECT_FALSE(points({.ending = TimedOut{milliseconds(1000)}}));
}

}  // namespace
}  // namespace husk::contract::yoi_test
