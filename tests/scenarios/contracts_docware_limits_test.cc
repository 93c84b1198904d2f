// The limits of the contract `docware`: what a breach is, and what it tells.
#include <gmock/gmock.h>

#include <thread>

#include "docware_calls.h"
#include "run/ceilings.h"

namespace husk::test::docware_calls {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST_P(Docware, Monitoring_EndsWhatTakesTooLong) {
    const Json late = output({{"command", "sleep"}, {"args", {"60"}}, {"timeout", 200}});
    EXPECT_EQ(late["error"]["type"], "execution_timeout");
    EXPECT_EQ(late["error"]["message"], "Command execution timed out after 200ms");
    const Json over = shell("echo so far; sleep 60", {{"max_execution_time", 2000}});
    EXPECT_EQ(over["error"]["type"], "resource_limit_exceeded");
    EXPECT_THAT(over["error"]["message"].get<std::string>(),
                testing::MatchesRegex("Resource limit exceeded: execution_time .[0-9]+ > 2000."));
    EXPECT_EQ(over["stdout"], "so far\n");
    // The five seconds of grace are no part of the figure.
    const Json deaf =
        shell("trap '' TERM; while :; do sleep 0.1; done", {{"max_execution_time", 500}});
    EXPECT_GT(deaf["error"]["details"]["current"], 500) << deaf;
    EXPECT_LT(deaf["error"]["details"]["current"], 5000) << deaf;
    EXPECT_GE(deaf["execution_info"]["execution_time"], 5000) << deaf;
}

TEST_P(Docware, Output_TellsHowWhatTookTooLongEnded) {
    const Json asked = output({{"command", "sleep"}, {"args", {"60"}}, {"timeout", 500}});
    EXPECT_EQ(asked["error"]["type"], "execution_timeout");
    EXPECT_EQ(asked["exit_code"], 143);
    EXPECT_EQ(asked["process_info"]["signal"], "SIGTERM");
    const char* script = "trap 'exit 7' TERM; while :; do sleep 0.1; done";
    for (const char* limit : {"timeout", "max_execution_time"}) {
        const Json exited = shell(script, {{limit, 500}});
        EXPECT_EQ(exited["success"], false);
        EXPECT_EQ(exited["exit_code"], 7) << limit;
        EXPECT_FALSE(exited["process_info"].contains("signal"));
    }
}

TEST_P(Docware, Output_OfBothStreamsKeepsToTheLimitAfterABreach) {
    const Json flood = shell("seq 1 100000 & seq 1 100000 >&2; wait", {{"max_output_size", 1000}});
    EXPECT_EQ(flood["error"]["type"], "resource_limit_exceeded");
    EXPECT_EQ(flood["stdout"].get<std::string>().size() + flood["stderr"].get<std::string>().size(),
              1000U);
}

TEST_P(Docware, Monitoring_OutputUpToItsLimitIsFine) {
    const auto print = [&](int bytes) {
        return output({{"command", "printf"},
                       {"args", {"%" + std::to_string(bytes) + "s", "x"}},
                       {"max_output_size", 1000}});
    };
    for (const int bytes : {999, 1000}) {
        const Json done = print(bytes);
        EXPECT_EQ(done["success"], true) << bytes;
        EXPECT_EQ(done["stdout"].get<std::string>().size(), static_cast<size_t>(bytes));
    }
    const Json flood = output({{"command", "yes"}, {"max_output_size", 1000}});
    EXPECT_EQ(flood["error"]["type"], "resource_limit_exceeded");
    EXPECT_THAT(flood["error"]["message"].get<std::string>(),
                testing::MatchesRegex("Output size limit exceeded: [0-9]+ > 1000"));
    EXPECT_EQ(flood["stdout"].get<std::string>().size(), 1000U);
}

TEST_P(Docware, Monitoring_OutputThatCouldNotBeKeptIsNoSuccess) {
    const fs::path config = husk_.dir() / "small.yaml";
    write_text(config, "retention: {quota: 1M}\n");
    const Json cut = shell("seq 1 200000; echo FAILED", Json::object(), {"--config", config});
    EXPECT_EQ(cut["success"], false);
    EXPECT_EQ(cut["exit_code"], 0);
    EXPECT_EQ(cut["error"]["type"], "insufficient_resources");
    EXPECT_EQ(cut["error"]["details"]["written"], 1'288'895 + 7);
    EXPECT_LT(cut["stdout"].get<std::string>().size(), 1'288'895U);
    EXPECT_THAT(cut["notes"].dump(), HasSubstr("quota"));
}

TEST_P(Docware, Monitoring_OutputBeyondItsLimitIsAlwaysABreach) {
    for (int run = 0; run < 30; ++run) {
        const Json cut =
            output({{"command", "seq"}, {"args", {"1", "5000"}}, {"max_output_size", 1000}});
        ASSERT_EQ(cut["success"], false) << "run " << run;
        EXPECT_EQ(cut["error"]["type"], "resource_limit_exceeded");
        EXPECT_GT(cut["error"]["details"]["current"], 1000);
    }
}

TEST_P(Docware, Monitoring_MemoryBeyondTheLimitIsABreach) {
    const Mark mark;
    const Json done = output({{"command", program_in(work_, "hog")},
                              {"args", {"memory", "500", mark.word()}},
                              {"max_memory", 100'000'000}});
    EXPECT_EQ(done["error"]["type"], "resource_limit_exceeded");
    EXPECT_THAT(done["error"]["message"].get<std::string>(),
                testing::MatchesRegex("Resource limit exceeded: memory .[0-9]+ > 100000000."));
    EXPECT_EQ(done["error"]["details"]["violationType"], "memory_limit");
    EXPECT_GT(done["error"]["details"]["current"], 100'000'000) << done;
}

// Without a cgroup, it is over before most looks.
TEST_P(Docware, Monitoring_MemoryOfAShortProcessIsABreachToo) {
    const Mark mark;
    for (int run = 0; run < 10; ++run) {
        const Json done = output({{"command", program_in(work_, "hog")},
                                  {"args", {"brief-memory", "70", mark.word()}},
                                  {"max_memory", 20'000'000}});
        ASSERT_EQ(done["success"], false) << "run " << run << ": " << done;
        EXPECT_EQ(done["error"]["details"]["resource"], "memory");
        EXPECT_GT(done["resource_usage"]["max_memory_used"], 20'000'000) << done;
    }
}

// Each process is below the limit, and the figure of the answer is not.
TEST_P(Docware, Monitoring_TheMemoryUsedIsThatOfTheBreach) {
    const Mark mark;
    const std::string hog = program_in(work_, "hog") + " memory 12 " + mark.word();
    const Json done =
        shell(hog + " & " + hog + " & " + hog + " & wait", {{"max_memory", 20'000'000}});
    ASSERT_EQ(done["error"]["details"]["resource"], "memory") << done;
    EXPECT_GE(done["resource_usage"]["max_memory_used"], done["error"]["details"]["current"]);
}

TEST_P(Docware, Monitoring_TenProcessesAreFineAndElevenAreNot) {
    const auto with = [&](int sleepers) {
        return shell("echo before; for i in $(seq " + std::to_string(sleepers) +
                     "); do sleep 2 & done; wait");
    };
    EXPECT_EQ(with(9)["success"], true);
    const Json breach = with(10);
    EXPECT_EQ(breach["error"]["message"], "Resource limit exceeded: processes (11 > 10)");
    EXPECT_EQ(breach["stdout"], "before\n");
}

TEST_P(Docware, Monitoring_AThousandDescriptors) {
    EXPECT_EQ(shell("ulimit -n")["stdout"], "1000\n");
}

TEST_P(Docware, Monitoring_WhoeverIsDeafToTheSignalIsKilledAfterFiveSeconds) {
    const auto begun = std::chrono::steady_clock::now();
    const Json done =
        shell("trap 'echo asked' TERM; echo up; while :; do sleep 0.1; done", {{"timeout", 2000}});
    const auto took = std::chrono::steady_clock::now() - begun;
    EXPECT_EQ(done["error"]["type"], "execution_timeout");
    EXPECT_THAT(done["stdout"].get<std::string>(), HasSubstr("up\nasked\n"));
    EXPECT_GE(took, 5s);
    EXPECT_LT(took, patient(20s));
}

// Its main process ends before the first look.
TEST_P(Docware, Monitoring_ABombThatIsLeftBehindIsABreach) {
    const Json done = shell("for i in {1..20}; do sleep 30 & done");
    EXPECT_EQ(done["error"]["type"], "resource_limit_exceeded") << done;
    EXPECT_EQ(done["error"]["details"]["violationType"], "processes_limit");
    EXPECT_GT(done["error"]["details"]["current"], 10);
}

// Where a cgroup can, it is slowed down, and there is nothing to breach.
TEST_P(Docware, Monitoring_ProcessorsAreThrottledOrLimitedAfterTenSeconds) {
    const bool can_be_slowed_down =
        GetParam() == Who::Caller && run::plan_ceilings({.cpu_percent = 1}).where.keeps_cpu();
    const int64_t timeout = can_be_slowed_down ? 3000 : 60'000;
    const Json done = shell("echo busy; while :; do :; done",
                            {{"max_cpu_usage", 1}, {"timeout", timeout}, {"stream_output", true}});
    if (can_be_slowed_down) {
        EXPECT_EQ(done["error"]["type"], "execution_timeout");
        const double processors = std::max(1U, std::thread::hardware_concurrency());
        EXPECT_LT(done["resource_usage"]["cpu_time"], 30 * processors + 300) << "a hundredth";
        EXPECT_EQ(done["stdout"], "busy\n");
        return;
    }
    EXPECT_EQ(done["error"]["type"], "resource_limit_exceeded");
    EXPECT_THAT(done["error"]["message"].get<std::string>(),
                testing::MatchesRegex("Resource limit exceeded: cpu_usage .[0-9]+ > 1."));
    EXPECT_EQ(done["error"]["details"]["violationType"], "cpu_limit");
    EXPECT_EQ(done["stdout"], "busy\n");
    EXPECT_GE(done["execution_info"]["execution_time"], 10'000);
}

TEST_P(Docware, Sandbox_NothingOutlivesItsCommand) {
    const Mark mark;
    const Json done = shell("bash -c 'sleep 300 # " + mark.word() + "' & echo hi");
    EXPECT_EQ(done["stdout"], "hi\n");
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

}  // namespace
}  // namespace husk::test::docware_calls
