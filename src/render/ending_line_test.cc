#include "render/ending_line.h"

#include <errno.h>
#include <gtest/gtest.h>

#include <limits>

using namespace std::literals;

namespace husk::render {
namespace {

Report with(Ending ending) {
    Report report;
    report.ending = std::move(ending);
    report.shell_id = "k3f9-2";
    return report;
}

TEST(EndingLine, SaysWhatIsWrongAndNothingElse) {
    struct Case {
        Ending ending;
        std::string_view words;
        std::string_view line;
    };
    const Case cases[] = {
        {Exited{0}, "exited 0", ""},
        {Exited{3}, "exited 3", ""},
        {Signaled{11}, "signaled SIGSEGV", "killed by SIGSEGV"},
        {TimedOut{30s}, "timed out", "timed out after 30 s"},
        {TimedOut{1500ms}, "timed out", "timed out after 1.5 s"},
        {Cancelled{""}, "cancelled", "cancelled"},
        {Cancelled{"the caller is gone"}, "cancelled", "cancelled: the caller is gone"},
        {LimitExceeded{"output", 1 << 20, 3 << 19}, "output limit",
         "stopped at the output limit of 1 MiB (reached 1.5 MiB)"},
        {LimitExceeded{"idle", 5000, 5100}, "idle limit",
         "stopped at the idle limit of 5 s (reached 5.1 s)"},
        {LimitExceeded{"processes", 512, 513}, "processes limit",
         "stopped at the processes limit of 512 (reached 513)"},
        {Denied{"rm.root", "It deletes everything."}, "denied",
         "denied: It deletes everything. (rule rm.root)"},
        {Denied{"", ""}, "denied", "denied"},
        {NotStarted{{"chdir", ENOENT, "/x"}}, "not started",
         "not started: chdir: No such file or directory: /x"},
        {Running{}, "running", "still running as k3f9-2; husk wait k3f9-2"},
        {Lost{"the machine restarted"}, "lost", "lost: the machine restarted"},
    };
    for (const auto& [ending, words, line] : cases) {
        EXPECT_EQ(ending_words(with(ending)), words);
        EXPECT_EQ(ending_line(with(ending)), line);
    }
}

TEST(EndingLine, NamesWhatWasLeftBehind) {
    Report report = with(Exited{0});
    report.leftovers = {{.pid = 123, .name = "sleep", .reason = ""}};
    EXPECT_EQ(ending_line(report), "1 process still running: sleep (pid 123); husk kill k3f9-2");
    EXPECT_EQ(ending_words(report), "exited 0, 1 left");

    report.leftovers.push_back({.pid = 9, .name = "sudo", .reason = "not permitted"});
    EXPECT_EQ(ending_line(report),
              "2 processes still running: sleep (pid 123), sudo (pid 9, not permitted); "
              "husk kill k3f9-2");

    report.ending = TimedOut{2s};
    report.shell_id = "";
    EXPECT_EQ(ending_line(report),
              "timed out after 2 s; 2 processes still running: sleep (pid 123), "
              "sudo (pid 9, not permitted)");
}

TEST(EndingLine, NamesTheLimitThatEndedWhatWasLeftBehind) {
    Report report = with(Exited{0});
    report.leftovers_ended_by = LimitExceeded{"processes", 40, 41};
    EXPECT_EQ(ending_words(report), "exited 0, leftovers: processes limit");
    report.leftovers = {{.pid = 123, .name = "sleep", .reason = ""}};
    EXPECT_EQ(ending_words(report), "exited 0, 1 left, leftovers: processes limit");
    report = with(LimitExceeded{"processes", 40, 41});
    report.leftovers_ended_by = LimitExceeded{"processes", 40, 41};
    EXPECT_EQ(ending_words(report), "processes limit");
}

TEST(EndingLine, AThousandLeftoversAreStillALine) {
    Report report = with(Exited{0});
    for (int i = 1; i <= 1000; ++i)
        report.leftovers.push_back({.pid = i, .name = "x", .reason = ""});
    EXPECT_EQ(ending_line(report),
              "1000 processes still running: x (pid 1), x (pid 2), x (pid 3), x (pid 4), x (pid 5) "
              "and 995 more; husk kill k3f9-2");
}

TEST(EndingLine, IsOneLineWhateverAProcessCallsItself) {
    Report report = with(Lost{"first\nsecond\xff"});
    report.leftovers = {{.pid = 1, .name = "\x1b[2Jevil\r\n\x1b]0;title\a", .reason = ""}};
    EXPECT_EQ(
        ending_line(report),
        R"(lost: first second�; 1 process still running: \x1b[2Jevil\r \x1b]0;title\x07 (pid 1); )"
        "husk kill k3f9-2");
}

TEST(EndingLine, SurvivesAbsurdNumbers) {
    const uint64_t most = std::numeric_limits<uint64_t>::max();
    EXPECT_EQ(ending_line(with(LimitExceeded{"memory", most, most})),
              "stopped at the memory limit of 16 EiB");
    EXPECT_EQ(ending_line(with(LimitExceeded{"cpu", most, 0})),
              "stopped at the cpu limit of 36500 d (reached 0 ms)");
}

TEST(EndingLine, ACommandThatRunsHasNoLeftovers) {
    Report report = with(Running{});
    report.shell_id = "";
    report.leftovers = {{.pid = 1, .name = "x", .reason = ""}};
    EXPECT_EQ(ending_line(report), "still running");
    EXPECT_EQ(ending_words(report), "running");
}

}  // namespace
}  // namespace husk::render
