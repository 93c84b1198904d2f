#include <gmock/gmock.h>

#include <cerrno>

#include "base/utf8.h"
#include "contract/contract_cases.h"

namespace husk::contract::agentrail_test {
namespace {

using testing::HasSubstr;

const Contract& agentrail = agentrail_contract;
const std::string any = R"({"command": "x"})";

Answer answer(const Happened& happened, const std::string& arguments = any) {
    return answer_to(agentrail, "Bash", arguments, happened);
}

TEST(Agentrail, Parameters_SayWhatIsWrong) {
    struct {
        const char* input;
        const char* text;
    } const wrong[] = {
        {R"({})", "Invalid input: `command` is required"},
        {R"({"command": null})", "Invalid input: `command` is required"},
        {R"({"command": 1})", "Invalid input: `command` must be a string, not the number 1"},
        {R"({"command": []})", "Invalid input: `command` must be a string, not a list"},
        {R"({"command": "x", "working_directory": "src"})",
         "working_directory must be an absolute path, not \"src\""},
        {R"({"command": "x", "working_directory": ""})",
         "working_directory must be an absolute path, not \"\""},
        {R"({"command": "x", "working_directory": "~/x"})",
         "working_directory must be an absolute path, not \"~/x\""},
        {R"({"command": "x", "working_directory": 5})",
         "Invalid input: `working_directory` must be a string, not the number 5"},
        {R"({"command": "x", "timeout": -1})",
         "Invalid input: `timeout` must be at least 0, not -1"},
        {R"({"command": "x", "timeout": 1.5})",
         "Invalid input: `timeout` must be an integer, not the number 1.5"},
        {R"({"command": "x", "timeout": "5"})",
         "Invalid input: `timeout` must be an integer, not the string \"5\""},
        {R"({"command": "x", "timeout": false})",
         "Invalid input: `timeout` must be an integer, not false"},
        {R"({"command": "x", "timeout": 1e300})",
         "Invalid input: `timeout` must be an integer, not the number 1e+300"},
        {R"([1])", "Invalid input: the arguments must be a JSON object, not a list"},
        {R"({"command": "x", "command": "y"})", "Invalid input: the key `command` stands twice"},
    };
    for (const auto& one : wrong) EXPECT_EQ(error_text(agentrail, "Bash", one.input), one.text);
    EXPECT_THAT(error_text(agentrail, "Bash", "{"), HasSubstr("this is not JSON"));
}

TEST(Agentrail, Parameters_TheTimeoutMovesToTheBackground) {
    struct {
        const char* input;
        int64_t timeout;  // 0: none
        bool background;
    } const cases[] = {
        {R"({"command": "x"})", 30000, false},
        {R"({"command": "x", "timeout": null})", 30000, false},
        {R"({"command": "x", "timeout": 0})", 0, true},
        {R"({"command": "x", "timeout": 1})", 1, false},
        {R"({"command": "x", "timeout": 2e3})", 2000, false},
        {R"({"command": "x", "timeout": 600001})", 600001, false},
        {R"({"command": "x", "unknown": {}})", 30000, false},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(one.input);
        const Request request = run_of(agentrail, "Bash", one.input).request;
        EXPECT_EQ(request.timeout.value_or(milliseconds(0)).count(), one.timeout);
        EXPECT_EQ(request.background, one.background);
        EXPECT_EQ(request.on_timeout, OnTimeout::Background);
        EXPECT_EQ(request.streams, Streams::Split);
    }
    const char* huge = R"({"command": "x", "timeout": 9223372036854775807})";
    EXPECT_LT(run_of(agentrail, "Bash", huge).request.timeout->count(), 4'000'000'000'000);
    EXPECT_EQ(run_of(agentrail, "Bash", R"({"command": "x", "working_directory": "/tmp/"})")
                  .request.working_dir,
              "/tmp/");
}

// Result: text and details, in the foreground.
TEST(Agentrail, Result_InTheForeground) {
    struct {
        Ending ending;
        std::string out;
        std::string err;
        int code;
        std::string text;
    } const cases[] = {
        {Exited{0}, "hi\n", "", 0, "hi\n\n\n[exit code: 0]"},
        {Exited{0}, "hi", "", 0, "hi\n\n[exit code: 0]"},
        {Exited{0}, "", "", 0, "(no output)\n\n[exit code: 0]"},
        {Exited{3}, "", "", 3, "(no output)\n\n[exit code: 3]"},
        {Exited{1}, "", "no\n", 1, "[stderr]\nno\n\n\n[exit code: 1]"},
        {Exited{0}, "a\n", "b\n", 0, "a\n\n[stderr]\nb\n\n\n[exit code: 0]"},
        {Exited{0}, "a", "b", 0, "a\n[stderr]\nb\n\n[exit code: 0]"},
        {Exited{0}, "[stderr]\nx", "", 0, "[stderr]\nx\n\n[exit code: 0]"},
        {Exited{0}, "[exit code: 7]", "", 0, "[exit code: 7]\n\n[exit code: 0]"},
        {Exited{0}, "(no output)", "", 0, "(no output)\n\n[exit code: 0]"},
        {Exited{255}, "", "", 255, "(no output)\n\n[exit code: 255]"},
        {Signaled{9}, "", "", 137, "(no output)\n\n[exit code: 137]"},
        {Signaled{15}, "a", "", 143, "a\n\n[exit code: 143]"},
        {Cancelled{"cancelled"}, "a", "", 137, "a\n\n[cancelled]\n[exit code: 137]"},
        {LimitExceeded{"memory", 1, 2}, "", "", 137,
         "(no output)\n\n[stopped at the memory limit]\n[exit code: 137]"},
    };
    for (const auto& one : cases) {
        const Answer said = answer({.ending = one.ending, .out = one.out, .err = one.err});
        EXPECT_EQ(said.text, one.text);
        EXPECT_FALSE(said.is_error) << one.text;
        EXPECT_EQ(said.structured, (Json{{"mode", "foreground"},
                                         {"exit_code", one.code},
                                         {"stdout", one.out},
                                         {"stderr", one.err}}));
    }
}

TEST(Agentrail, Result_InTheBackground) {
    struct {
        Ending ending;
        std::string out;
        std::string err;
        std::string arguments;
        std::string text;
    } const cases[] = {
        {Running{}, "", "", any, "(no output)"},
        {Running{}, "a\n", "", any, "a\n"},
        {Running{}, "a\n", "b\n", any, "a\n\n[stderr]\nb\n"},
        {Running{}, "", "", R"({"command": "x", "timeout": 0})", "(no output)"},
        {Exited{0}, "a", "", R"({"command": "x", "timeout": 0})", "a"},
    };
    for (const auto& one : cases) {
        const Answer said =
            answer({.ending = one.ending, .out = one.out, .err = one.err}, one.arguments);
        EXPECT_EQ(said.text, "Process is running in background (pid: 4711)\n" + one.text);
        EXPECT_EQ(
            said.structured,
            (Json{
                {"mode", "background"}, {"pid", 4711}, {"stdout", one.out}, {"stderr", one.err}}));
    }
}

// Usage notes: output is truncated at 1 MB, which holds for both streams together.
TEST(Agentrail, Usage_TruncatesAtAMebibyte) {
    constexpr size_t most = 1048576;
    const std::string marker = "\n[output truncated]";
    const auto streams = [](const std::string& out, const std::string& err) {
        const Answer said = answer({.out = out, .err = err});
        const Json& structured = *said.structured;
        EXPECT_THAT(said.text, HasSubstr(structured["stdout"].get<std::string>()));
        EXPECT_THAT(said.text, HasSubstr(structured["stderr"].get<std::string>()));
        return structured;
    };
    struct {
        size_t out;
        size_t err;
        size_t shown_out;
        size_t shown_err;
    } const cases[] = {
        {most - 1, 0, most - 1, 0},
        {most, 0, most, 0},
        {most + 1, 0, most, 0},
        {0, most + 1, 0, most},
        {most - 2, 2, most - 2, 2},
        {most - 1, 2, most - 2, 2},
        {2, most + 2, 2, most - 2},
        {3 * most, 5, most - 5, 5},
        {most / 2, most / 2, most / 2, most / 2},
        {most / 2 + 1, most / 2, most / 2, most / 2},
        {700'000, 500'000, most - 500'000, 500'000},
        {700'000, 700'000, most / 2, most / 2},
        {most, most, most / 2, most / 2},
    };
    for (const auto& one : cases) {
        SCOPED_TRACE(std::to_string(one.out) + " and " + std::to_string(one.err));
        const Json said = streams(std::string(one.out, 'a'), std::string(one.err, 'b'));
        EXPECT_EQ(said["stdout"],
                  std::string(one.shown_out, 'a') + (one.shown_out < one.out ? marker : ""));
        EXPECT_EQ(said["stderr"],
                  std::string(one.shown_err, 'b') + (one.shown_err < one.err ? marker : ""));
    }
}

TEST(Agentrail, Usage_TruncatesBetweenCharacters) {
    const auto out_of = [](const std::string& out) {
        return answer({.out = out, .err = "x"}).structured->at("stdout").get<std::string>();
    };
    for (size_t shift = 0; shift < 4; ++shift) {
        const std::string said =
            out_of(std::string(shift, 'x') + cut_anywhere(1048580, "\xe2\x82\xac"));
        EXPECT_TRUE(text::is_utf8(said));
        EXPECT_THAT(said, testing::Not(HasSubstr("\xef\xbf\xbd"))) << shift;
    }
    EXPECT_EQ(out_of("\xff\xfe"), "\xef\xbf\xbd\xef\xbf\xbd");
    // What stands in the place of bytes that are no text counts too.
    EXPECT_LE(out_of(std::string(1048000, '\xff')).size(), 1048576 + 19U);
}

// Usage notes: memo is read-only. What a command made of it is told as gone.
TEST(Agentrail, Usage_TellsWhatWasTakenAway) {
    const auto run = run_of(agentrail, "Bash", any);
    Told told = told_of(run, {.out = "a\n"});
    told.report.reverted = {"/work/memo"};
    EXPECT_EQ(agentrail.render(run, told).text,
              "a\n\n\n[/work/memo was taken away: it is read-only for commands, use the Write or "
              "Edit tool]\n[exit code: 0]");
    EXPECT_FALSE(agentrail.render(run, told).meta.contains("husk/notes"));
    told.report.confinement.missing = {"protected-paths"};
    EXPECT_THAT(agentrail.render(run, told).meta["husk/notes"].dump(), HasSubstr("memo"));
}

TEST(Agentrail, Description_TellsThatMemoIsReadOnly) {
    Situation situation = in_work();
    const auto said = [&] { return agentrail.tools(situation)[0].description; };
    EXPECT_THAT(said(), testing::AllOf(HasSubstr("/work/memo "), HasSubstr("is read-only"),
                                       HasSubstr("/work/memo/user/USER.md"),
                                       HasSubstr("Write or Edit tool")));
    situation.read_only = Situation::ReadOnly::CannotBeHeld;
    EXPECT_THAT(said(), testing::AllOf(HasSubstr("/work/memo "), HasSubstr("cannot prevent"),
                                       testing::Not(HasSubstr("is read-only"))));
    situation.read_only = Situation::ReadOnly::SwitchedOff;
    EXPECT_THAT(said(), testing::Not(HasSubstr("memo")));
}

// Usage notes of the document: other tools read, write and search files.
TEST(Agentrail, Description_SendsFilesToTheirOwnTools) {
    EXPECT_THAT(agentrail.tools(in_work())[0].description,
                HasSubstr("Do not use Bash to read, write or search files: use Read, Write, Edit "
                          "and Grep if there are tools of these names."));
}

TEST(Agentrail, Permissions_SayWhyNot) {
    const Answer dangerous = answer_to_denied(
        agentrail, "Bash", any,
        verdict_of("x", "built in: destroyers", "Command matches a known-dangerous pattern"));
    EXPECT_EQ(dangerous.text, "Command matches a known-dangerous pattern");
    EXPECT_TRUE(dangerous.is_error);
    EXPECT_FALSE(dangerous.structured);
    EXPECT_EQ(answer_to_denied(agentrail, "Bash", any, verdict_of("x", "x:1", "no")).text,
              "Permission denied: refused: no");
    EXPECT_THAT(agentrail.defaults.packs, testing::ElementsAre("destroyers"));
    const Answer failed = answer({.ending = NotStarted{{"fork", 0, "no"}}});
    EXPECT_EQ(failed.text, "Failed to start command: fork: no");
    const Answer removed =
        answer({.ending = NotStarted{{"enter the working directory", ENOENT,
                                      "/w; name another one with `working_directory` (--cwd)"}}});
    EXPECT_EQ(removed.text,
              "Failed to start command: enter the working directory: No such file or directory: "
              "/w; name another one with `working_directory` (--cwd)");
    EXPECT_TRUE(failed.is_error);
}

TEST(Agentrail, Sandbox_IsTheSameWithAnotherWorkspaceAndNoNumber) {
    const Situation inside = {.place = Situation::Place::Container, .working_dir = "/workspace"};
    for (const char* directory : {"/workspace", "/workspace/a", "/workspace/a/../b"})
        EXPECT_EQ(
            error_text(agentrail, "Bash",
                       Json{{"command", "x"}, {"working_directory", directory}}.dump(), inside),
            "");
    for (const std::string directory : {"/", "/etc", "/workspace/..", "/workspacex"})
        EXPECT_EQ(
            error_text(agentrail, "Bash",
                       Json{{"command", "x"}, {"working_directory", directory}}.dump(), inside),
            "working_directory must be inside /workspace, not \"" + directory + "\"");
    const auto run = run_of(agentrail, "Bash", R"({"command": "x", "timeout": 0})", inside);
    const Answer told = agentrail.render(run, told_of(run, {.ending = Running{}, .out = "so far"}));
    EXPECT_EQ(told.text, "Process is running in background\nso far");
    EXPECT_FALSE(told.structured->contains("pid"));
    EXPECT_TRUE(agentrail.defaults.packs_in_container.empty());
    EXPECT_THAT(agentrail.tools(inside)[0].description,
                testing::AllOf(HasSubstr("/workspace/memo"), testing::Not(HasSubstr("pid"))));
}

TEST(Agentrail, Schema_HasAnOutput) {
    const Json tool = tool_json(agentrail.tools(in_work())[0]);
    EXPECT_EQ(tool["name"], "Bash");
    EXPECT_EQ(tool["inputSchema"]["properties"].size(), 3U);
    EXPECT_EQ(tool["inputSchema"]["properties"]["timeout"]["type"], "integer");
    EXPECT_EQ(tool["outputSchema"]["required"], Json::array({"mode", "stdout", "stderr"}));
    EXPECT_THAT(tool["description"].get<std::string>(), HasSubstr("/work"));
}

}  // namespace
}  // namespace husk::contract::agentrail_test
