// A command that tries to change the limits of the keeper that watches it, and of the session's
// first process.
#include "walled.h"

namespace husk::test {
namespace {

// The keeper is the parent of the command. With so few descriptors it cannot wait for anything,
// because it waits for more of them than that.
const std::string fewer_for_the_keeper = "prlimit --pid $PPID --nofile=3:3";

class TunedKeeper : public Walled, public testing::TestWithParam<Who> {
protected:
    TunedKeeper() : Walled(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(, TunedKeeper, both(), who_name);

TEST_P(TunedKeeper, KeepsItsLimitsBehindWalls) {
    const std::string command =
        "for p in $PPID 1; do for l in nofile=3:3 fsize=0:0 cpu=1:1 as=1:1; do "
        "prlimit --pid $p --$l 2>/dev/null && echo $p $l; done; done; sleep 77";
    for (const char* mode : {"workspace", "read-only"}) {
        const nlohmann::json report = report_in(mode, command, {"--timeout", "2s"});
        EXPECT_EQ(report["status"], "timed_out") << report;
        EXPECT_EQ(report["output"], "") << mode;
        EXPECT_LT(report["duration_ms"], 20'000);
    }
}

TEST_P(TunedKeeper, LeavesACommandItsOwnLimits) {
    EXPECT_EQ(in("workspace",
                 "ulimit -n 50; ulimit -n; prlimit --nofile=40 bash -c 'ulimit -n'; "
                 "prlimit --pid $PPID --nofile --noheadings >/dev/null && echo told")
                  .out,
              "50\n40\ntold\n");
}

// Programs that place their threads on processors name them by number.
TEST_P(TunedKeeper, LeavesACommandTheProcessorsOfItsOwnProcesses) {
    EXPECT_EQ(in("workspace",
                 "sleep 9 & taskset -p 1 $! >/dev/null && renice -n 5 -p $! >/dev/null && "
                 "chrt -b -p 0 $! && echo placed")
                  .out,
              "placed\n");
}

// In `open` nothing keeps a command from it, but the call ends, and its tree with it.
TEST_P(TunedKeeper, EndsAsLostWhenItCannotWait) {
    const Mark mark;
    const Ran ran = husk()({"run", "--json", "--timeout", "20s", "--",
                            fewer_for_the_keeper + "; exec sleep " + mark.word() + "77"});
    EXPECT_EQ(ran.json()["status"], "lost") << ran.out;
    EXPECT_LT(ran.took, 15s);
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

// It can wait for its eight descriptors, and has none left for looking at the tree.
TEST_P(TunedKeeper, EndsAsLostWhenItCannotLook) {
    const Mark mark;
    const Ran ran = husk()({"run", "--json", "--timeout", "20s", "--limit", "memory=500M", "--",
                            "prlimit --pid $PPID --nofile=8:8; exec sleep " + mark.word() + "77"});
    EXPECT_EQ(ran.json()["status"], "lost") << ran.out;
    EXPECT_LT(ran.took, 15s);
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

// The signal ends the wait that is under way, and the next wait fails. SIGTERM would prove nothing:
// it ends the session of any nursery. The user of the session sets the limit, because root in a
// container may not change the limits of another user's process.
TEST_P(TunedKeeper, EndsItsSessionWhenTheNurseryCannotWait) {
    const Mark mark;
    Witness witness(husk().dir());
    Live call(husk(), {"run", "--", witness.opening() + "echo up >&9; exec sleep " + mark.word()});
    ASSERT_TRUE(witness.hears("up"));
    const pid_t nursery = nursery_of(husk());
    ASSERT_GT(nursery, 1);
    const std::string pid = std::to_string(nursery);
    const Ran tuned = husk().script("prlimit --pid " + pid + " --nofile=3:3 && kill -CHLD " + pid);
    ASSERT_EQ(tuned.code, 0) << tuned.err;
    const bool ended = eventually([&] { return !is_alive(nursery); });
    EXPECT_TRUE(ended);
    EXPECT_TRUE(witness.is_alone());
    if (!ended) ::kill(nursery, SIGKILL);  // it would try to wait for ever
}

}  // namespace
}  // namespace husk::test
