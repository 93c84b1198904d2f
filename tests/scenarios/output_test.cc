// Whatever a command writes is counted to the byte, kept up to the cap, and shown as text.
#include <gmock/gmock.h>

#include "harness.h"
#include "keeper/record.h"

namespace husk::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string lines_command(uint64_t bytes, uint64_t chunk = 64 * 1024) {
    return program("out_lines") + " " + std::to_string(bytes) + " " + std::to_string(chunk);
}

std::string log_of(const nlohmann::json& report) {
    return read_text(report["excerpt"]["log"].get<std::string>());
}

std::vector<std::pair<uint64_t, uint64_t>> shown_of(const nlohmann::json& report) {
    return report["excerpt"]["shown"].get<std::vector<std::pair<uint64_t, uint64_t>>>();
}

std::string repeated(const std::string& text, size_t times) {
    std::string result;
    for (size_t i = 0; i < times; ++i) result += text;
    return result;
}

TEST(AloneOutput, TheLastByteIsThereHoweverLoadedTheMachineIs) {
    const Husk husk;
    const Load load(4);
    const std::string expected = repeated("y\n", 5000) + "end";
    for (int i = 0; i < 50; ++i) {
        const auto report = husk.report("yes | head -n 5000; printf end");
        ASSERT_EQ(report["output"], expected) << "at call " << i;
        ASSERT_EQ(report["excerpt"]["total_bytes"], expected.size());
        ASSERT_EQ(report["excerpt"]["total_lines"], 5001);
        ASSERT_EQ(report["excerpt"]["complete"], true);
    }
}

TEST(Output, OneByteAtATimeIsCountedAndKeptInOrder) {
    const Husk husk;
    const auto report = husk.report(lines_command(20'000, 1));
    EXPECT_EQ(report["output"], numbered(0, 20'000));
    EXPECT_EQ(report["excerpt"]["total_bytes"], 20'000);
    EXPECT_EQ(report["excerpt"]["total_lines"], 1250);
    EXPECT_EQ(log_of(report), numbered(0, 20'000));
}

constexpr uint64_t long_line = 100'000'000;
const std::string long_line_command =
    "head -c " + std::to_string(long_line) + " /dev/zero | tr '\\0' x; echo; echo end";

TEST(Output, ALineOfAHundredMegabytesLosesOnlyItsMiddle) {
    const Husk husk;
    const auto report = husk.report(long_line_command);
    const auto& excerpt = report["excerpt"];
    EXPECT_EQ(excerpt["total_bytes"], long_line + 5);
    EXPECT_EQ(excerpt["total_lines"], 2);
    EXPECT_EQ(excerpt["complete"], false);
    const uint64_t unit = record::drop_unit(64 << 20);
    EXPECT_LE(long_line + 5 - excerpt["dropped_bytes"].get<uint64_t>(), 4 * unit);
    EXPECT_GE(long_line + 5 - excerpt["dropped_bytes"].get<uint64_t>(), 3 * unit);
    EXPECT_THAT(report["output"].get<std::string>(), StartsWith("xxxx"));
    EXPECT_THAT(report["output"].get<std::string>(), EndsWith("x\nend\n"));
    const std::string id = report["shell_id"];
    EXPECT_EQ(husk({"output", id, "--tail", "1"}).out, "end\n");
    EXPECT_EQ(husk({"output", id, "--lines", "2:2"}).out.substr(0, 80), "end\n");
}

TEST(Output, ALineOfAHundredMegabytesIsKeptWhenAskedFor) {
    const Husk husk;
    const auto report = husk.report(long_line_command, {"--keep-output", "256M"});
    EXPECT_EQ(report["excerpt"]["total_bytes"], long_line + 5);
    EXPECT_EQ(report["excerpt"]["complete"], true);
    EXPECT_EQ(report["excerpt"]["dropped_bytes"], 0);
    EXPECT_EQ(log_of(report), std::string(long_line, 'x') + "\nend\n");
}

TEST(Output, ALongLineCountsAsOneLine) {
    const Husk husk;
    const std::string id =
        husk.report("head -c 3000000 /dev/zero | tr '\\0' x; echo; echo second")["shell_id"];
    EXPECT_EQ(husk({"output", id, "--grep", "second"}).out, "2:second\n");
    EXPECT_EQ(husk({"output", id, "--lines", "2:2"}).out.substr(0, 80), "second\n");
}

TEST(Output, WhatIsNotTextIsShownAsText) {
    struct Case {
        const char* written;  // for printf
        std::string raw;
        const char* shown;
    };
    const Case cases[] = {
        {R"(a\xff\xfeb\n)",
         "a\xff\xfe"
         "b\n",
         "a\xef\xbf\xbd\xef\xbf\xbd"
         "b\n"},
        {R"(a\0b\n)", std::string("a\0b\n", 4), "ab\n"},
        {R"(\xc3(\n)", "\xc3(\n", "\xef\xbf\xbd(\n"},
        {R"(caf\xc3\xa9)", "caf\xc3\xa9", "caf\xc3\xa9"},
        {R"(torn \xe2\x82)", "torn \xe2\x82", "torn \xef\xbf\xbd"},
        {R"(\x1b[1;31mred\x1b[0m\n)", "\x1b[1;31mred\x1b[0m\n", "red\n"},
        {R"(\x1b]0;title\x07text\n)", "\x1b]0;title\x07text\n", "text\n"},
        {R"(10%%\r50%%\r100%%\n)", "10%\r50%\r100%\n", "100%\n"},
        {R"(working...\r\x1b[Kdone\n)", "working...\r\x1b[Kdone\n", "done\n"},
        {R"(dos\r\nlines\r\n)", "dos\r\nlines\r\n", "dos\nlines\n"},
    };
    const Husk husk;
    for (const auto& [written, raw, shown] : cases) {
        const std::string command = std::string("printf '") + written + "'";
        const auto report = husk.report(command);
        EXPECT_EQ(report["output"], shown) << command;
        EXPECT_EQ(report["excerpt"]["total_bytes"], raw.size()) << command;
        EXPECT_EQ(log_of(report), raw) << command;
        EXPECT_EQ(husk({"output", report["shell_id"].get<std::string>()}).out, raw) << command;
        EXPECT_EQ(husk({"run", "--", command}).out, raw) << command;
    }
}

TEST(Output, AnyBytesMakeValidJson) {
    const Husk husk;
    const auto report = husk.report("head -c 100000 /dev/urandom");
    EXPECT_EQ(report["excerpt"]["total_bytes"], 100'000);
    EXPECT_EQ(log_of(report).size(), 100'000);
}

// What must be left of `total` bytes under a cap, judged by what the report says is missing.
void expect_kept(const Husk& husk, uint64_t cap, uint64_t total) {
    SCOPED_TRACE("cap " + std::to_string(cap) + ", written " + std::to_string(total));
    const auto report = husk.report(lines_command(total, total % 2 == 0 ? 64 * 1024 : 1000),
                                    {"--keep-output", std::to_string(cap)});
    const uint64_t unit = record::drop_unit(cap);
    const auto dropped = report["excerpt"]["dropped_bytes"].get<uint64_t>();
    EXPECT_EQ(report["excerpt"]["total_bytes"], total);
    EXPECT_EQ(report["excerpt"]["total_lines"], (total + 15) / 16);
    EXPECT_EQ(report["excerpt"]["complete"], dropped == 0);
    EXPECT_EQ(dropped == 0, total <= 4 * unit);
    EXPECT_LE(total - dropped, 4 * unit);
    EXPECT_EQ(dropped % unit, 0);

    const std::string id = report["shell_id"];
    const uint64_t head = std::min(total, 2 * unit);
    const Ran raw = husk({"output", id});
    EXPECT_TRUE(raw.out == numbered(0, head) + numbered(head + dropped, total));
    if (dropped > 0) {
        EXPECT_EQ(raw.err,
                  "husk: " + std::to_string(dropped) + " bytes before this were not kept\n");
    }
    // A log's offset is the stream's offset, so that a person with `tail` sees the end.
    const std::string log = log_of(report);
    ASSERT_EQ(log.size(), total);
    EXPECT_TRUE(log.substr(0, head) == numbered(0, head));
    EXPECT_TRUE(log.substr(head + dropped) == numbered(head + dropped, total));
    for (const auto& [from, to] : shown_of(report))
        EXPECT_THAT(report["output"].get<std::string>(), HasSubstr(numbered(from, to)));
}

TEST(Output, SmallCapsKeepTheRightBytesAtEveryEdge) {
    const Husk husk;
    for (const uint64_t cap : {16ULL << 10, 64ULL << 10, 1ULL << 20}) {
        const uint64_t unit = record::drop_unit(cap);
        for (const uint64_t units : {2U, 3U, 4U, 5U, 6U, 9U})
            for (const uint64_t bytes : {units * unit - 1, units * unit, units * unit + 1})
                expect_kept(husk, cap, bytes);
    }
}

TEST(Output, IsCompleteUpToTheCapWhateverItIs) {
    const Husk husk;
    for (const uint64_t cap : {16'384U, 20'000U, 32'767U, 100'000U, 1'000'000U}) {
        const auto report = husk.report(lines_command(cap), {"--keep-output", std::to_string(cap)});
        EXPECT_EQ(report["excerpt"]["complete"], true) << "cap " << cap;
        EXPECT_TRUE(husk({"output", report["shell_id"].get<std::string>()}).out == numbered(0, cap))
            << "cap " << cap;
    }
}

TEST(Output, AnExcerptShowsWholeLinesFromBothEnds) {
    const Husk husk;
    for (const uint64_t budget : {200U, 1000U, 5000U, 30'000U}) {
        const auto report =
            husk.report(lines_command(160'000), {"--max-output", std::to_string(budget)});
        const auto shown = shown_of(report);
        ASSERT_EQ(shown.size(), 2) << budget;
        const std::string head = numbered(shown[0].first, shown[0].second);
        const std::string tail = numbered(shown[1].first, shown[1].second);
        EXPECT_EQ(shown[0].first, 0);
        EXPECT_EQ(shown[1].second, 160'000);
        EXPECT_EQ(shown[0].second % 16, 0) << budget;
        EXPECT_EQ(shown[1].first % 16, 0) << budget;
        EXPECT_LE(head.size() + tail.size(), budget);
        EXPECT_GE(head.size() + tail.size(), budget * 3 / 4);
        const uint64_t left_out = shown[1].first - shown[0].second;
        const std::string id = report["shell_id"];
        EXPECT_EQ(report["output"], head + "[... " + std::to_string(left_out) + " bytes, " +
                                        std::to_string(left_out / 16) +
                                        " lines left out; husk output " + id + " --since " +
                                        std::to_string(shown[0].second) + "]\n" + tail);
    }
}

constexpr const char* two_streams =
    "for ((i = 0; i < 500; ++i)); do echo out $i; echo err $i >&2; done";

std::string counted(const std::string& word) {
    std::string text;
    for (int i = 0; i < 500; ++i) text += word + " " + std::to_string(i) + "\n";
    return text;
}

TEST(SplitStreams, StayApartAndInOrder) {
    const Husk husk;
    const auto report = husk.report(two_streams, {"--streams", "split"});
    EXPECT_EQ(report["output"], nullptr);
    EXPECT_EQ(report["stdout"], counted("out"));
    EXPECT_EQ(report["stderr"], counted("err"));
    EXPECT_EQ(report["excerpt"]["total_lines"], 500);
    EXPECT_EQ(report["error_excerpt"]["total_lines"], 500);
    EXPECT_EQ(log_of(report), counted("out"));
    EXPECT_EQ(read_text(report["error_excerpt"]["log"].get<std::string>()), counted("err"));
    const std::string id = report["shell_id"];
    EXPECT_EQ(husk({"output", id}).out, counted("out"));
    EXPECT_EQ(husk({"output", id, "--stream", "stderr"}).out, counted("err"));
    EXPECT_EQ(husk({"output", id, "--stream", "stderr", "--tail", "1"}).out, "err 499\n");
}

TEST(SplitStreams, GoToStdoutAndStderrInPlainMode) {
    const Husk husk;
    const Ran ran = husk({"run", "--streams", "split", "--", two_streams});
    EXPECT_EQ(ran.out, counted("out"));
    EXPECT_EQ(ran.err, counted("err"));
}

TEST(SplitStreams, HaveACapEach) {
    const Husk husk;
    const std::string lines = program("out_lines");
    const auto report = husk.report(lines + " 100000; " + lines + " 16000 >&2",
                                    {"--streams", "split", "--keep-output", "16K"});
    EXPECT_EQ(report["excerpt"]["total_bytes"], 100'000);
    EXPECT_EQ(report["excerpt"]["complete"], false);
    EXPECT_EQ(report["error_excerpt"]["total_bytes"], 16'000);
    EXPECT_EQ(report["error_excerpt"]["complete"], true);
}

TEST(SplitStreams, DoNotExistForAMergedCommand) {
    const Husk husk;
    const auto report = husk.report("echo one; echo two >&2; echo three");
    EXPECT_EQ(report["output"], "one\ntwo\nthree\n");
    EXPECT_EQ(report["stderr"], nullptr);
    const Ran asked = husk({"output", report["shell_id"].get<std::string>(), "--stream", "stderr"});
    EXPECT_TRUE(is_refusal(asked));
    EXPECT_THAT(asked.err, HasSubstr("merged"));
}

}  // namespace
}  // namespace husk::test
