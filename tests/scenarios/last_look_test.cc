// A limit that Husk watches from time to time can be passed between two looks, and the command can
// end before the next one. Husk looks once more before it answers.
#include <gmock/gmock.h>

#include <ostream>

#include "harness.h"

namespace husk::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr int runs = 30;

struct Passed {
    const char* name;
    const char* command;  // ends by itself, before the first look; $P is the folder of the programs
    const char* option;
    const char* limit;
    uint64_t value;
};

const Passed passed_at_the_end[] = {
    {"Output", "seq 1 5000", "output=1000", "output", 1000},
    {"OutputOfTheErrorStream", "seq 1 5000 >&2", "output=1000", "output", 1000},
    {"OutputByOneByte", "printf %1001s x", "output=1000", "output", 1000},
    {"OutputOfWhatMainLeftBehind", "seq 1 5000 &", "output=1000", "output", 1000},
    {"Cpu", "$P/hog cpu 60 x", "cpu=40ms", "cpu", 40},
    {"CpuOfChildren", "$P/hog cpu 30 x; $P/hog cpu 30 x; true", "cpu=40ms", "cpu", 40},
    {"Memory", "$P/hog brief-memory 70 x", "memory=20000000", "memory", 20'000'000},
    {"MemoryOfAChild", "$P/hog brief-memory 70 x; true", "memory=20000000", "memory", 20'000'000},
    {"Disk", "head -c 3000000 /dev/zero > large", "disk=1000000", "disk", 1'000'000},
    {"Processes", "for i in {1..20}; do sleep 20 & done", "processes=10", "processes", 10},
};

struct LastLookCase {
    Passed passed;
    Who who;
};

std::ostream& operator<<(std::ostream& out, const LastLookCase& one) {
    return out << one.passed.name;
}

std::vector<LastLookCase> all_cases() {
    std::vector<LastLookCase> all;
    for (const Passed& passed : passed_at_the_end)
        for (const Who who : {Who::Caller, Who::OrdinaryUser}) all.push_back({passed, who});
    return all;
}

class LastLook : public testing::TestWithParam<LastLookCase> {
protected:
    std::string command() const {
        return "cd " + husk.dir().string() + "; P=" HUSK_TEST_PROGRAMS_DIR "; " +
               GetParam().passed.command;
    }
    const Passed& passed() const { return GetParam().passed; }

    const Husk husk{GetParam().who};
};

INSTANTIATE_TEST_SUITE_P(, LastLook, testing::ValuesIn(all_cases()), [](const auto& one) {
    return one.param.passed.name +
           std::string(one.param.who == Who::Caller ? "" : "AsOrdinaryUser");
});

TEST_P(LastLook, AlwaysFindsTheBreach) {
    for (int run = 0; run < runs; ++run) {
        const auto report = husk.report(command(), {"--limit", passed().option});
        ASSERT_EQ(report["status"], "limit_exceeded") << "run " << run << ": " << report;
        EXPECT_EQ(report["limit"]["name"], passed().limit);
        EXPECT_EQ(report["limit"]["value"], passed().value);
        EXPECT_GT(report["limit"]["peak"], passed().value);
        EXPECT_TRUE(report["leftovers"].empty()) << report;
    }
}

TEST_P(LastLook, FindsItInTheBackgroundToo) {
    const std::string id = husk.background(command(), {"--limit", passed().option});
    EXPECT_EQ(husk({"wait", id, "--timeout", "20s"}).code, 124);
    const auto shell = husk.shell(id);
    EXPECT_EQ(shell["status"], "limit_exceeded") << shell;
    EXPECT_GT(shell["limit"]["peak"], passed().value) << shell;
}

// What is exactly used up has not been passed.
TEST(LastLookInProcess, LeavesWhatIsAtItsLimitAlone) {
    const Husk husk;
    for (int run = 0; run < runs; ++run) {
        const auto report = husk.report("printf %1000s x", {"--limit", "output=1000"});
        EXPECT_EQ(report["status"], "exited") << report;
    }
}

class TimeLimits : public testing::Test {
protected:
    // The last of the patience is over long after the limit.
    static constexpr const char* deaf = "trap '' TERM; while :; do sleep 0.05; done";
    static void expect_found_at_once(uint64_t reached, uint64_t limit) {
        EXPECT_GT(reached, limit);
        EXPECT_LT(reached, limit + patience_ms);
    }
    static constexpr uint64_t patience_ms = 3000;

    const Husk husk_;
};

TEST_F(TimeLimits, TellTheTimeAtWhichTheBreachWasFound) {
    Settings settings = husk_.settings();
    settings.max_lifetime = 400ms;
    Bash bash(settings);
    const StopLadder slow = {.patience = milliseconds(patience_ms)};
    const auto late = bash.run({.command = deaf, .timeout = 300ms, .stop = slow});
    ASSERT_STREQ(status_word(late.ending), "timed_out");
    const auto& timed_out = std::get<TimedOut>(late.ending);
    expect_found_at_once(static_cast<uint64_t>(timed_out.reached.count()), 300);
    EXPECT_GE(*late.duration_ms, patience_ms) << "the duration has all of it";

    const auto silent = bash.run({.command = deaf, .idle_timeout = 200ms, .stop = slow});
    ASSERT_STREQ(status_word(silent.ending), "limit_exceeded");
    expect_found_at_once(std::get<LimitExceeded>(silent.ending).peak, 200);

    const auto shell = bash.run({.command = deaf, .background = true, .stop = slow});
    ASSERT_EQ(husk_({"wait", shell.shell_id, "--timeout", "20s"}).code, 124);
    const auto ended = husk_.shell(shell.shell_id);
    EXPECT_EQ(ended["limit"]["name"], "lifetime") << ended;
    expect_found_at_once(ended["limit"]["peak"], 400);
}

// Another limit that is passed during the patience does not change what is told of the first.
TEST_F(TimeLimits, DoNotChangeTheFiguresOfAnotherLimit) {
    const auto report =
        husk_.report("trap '' TERM; seq 1 5000; sleep 1; sleep 1",
                     {"--limit", "output=1000", "--limit", "idle=300ms", "--patience", "900ms"});
    EXPECT_EQ(report["limit"]["name"], "output") << report;
    EXPECT_EQ(report["limit"]["value"], 1000) << report;
    EXPECT_GT(report["limit"]["peak"], 1000) << report;
}

// The answer was given before. The shell says later what became of them.
TEST_F(TimeLimits, ThatEndWhatACommandLeftBehindAreTold) {
    const Mark mark;
    Settings settings = husk_.settings();
    settings.max_lifetime = 300ms;
    Bash bash(settings);
    const Report report = bash.run({.command = "sleep " + mark.word() + " & echo hi"});
    EXPECT_STREQ(status_word(report.ending), "exited");
    ASSERT_TRUE(eventually([&] { return mark.bearers().empty(); }));
    ASSERT_TRUE(eventually([&] { return husk_.shell(report.shell_id)["notes"].size() == 1; }));
    const auto shell = husk_.shell(report.shell_id);
    EXPECT_EQ(shell["status"], "exited") << shell;
    EXPECT_THAT(shell["notes"][0].get<std::string>(),
                HasSubstr("ended the processes that the command had left behind, at the lifetime "
                          "limit of 300 ms (reached "));
}

TEST_F(TimeLimits, AreNotTheOnlyOnesThatEndWhatWasLeftBehind) {
    const Mark mark;
    const auto report = husk_.report(
        "(sleep 1; exec " HUSK_TEST_PROGRAMS_DIR "/hog cpu 9000 " + mark.word() + ") & echo hi",
        {"--limit", "cpu=300ms"});
    EXPECT_EQ(report["status"], "exited") << report;
    const std::string id = report["shell_id"];
    ASSERT_TRUE(eventually([&] { return husk_.shell(id)["notes"].size() == 1; }, 20s));
    EXPECT_THAT(husk_.shell(id)["notes"][0].get<std::string>(), HasSubstr("at the cpu limit of"));
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

}  // namespace
}  // namespace husk::test
