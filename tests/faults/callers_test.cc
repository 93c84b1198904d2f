// What callers say is true also of those that are killed, or have run out of something.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>

#include "callers.h"
#include "run/spool.h"

namespace husk::test {
namespace {

TEST(CallerDeath, HidesNoCommandFromTheAudit) {
    const Husk husk;
    ASSERT_EQ(husk({"run", "--", "true"}).code, 0);
    const auto ran = husk.dir() / "ran";
    const int journal = ::open((husk.state() / "audit/000001.jsonl").c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(journal, 0);
    // The caller waits for this lock for a second before it goes on without the audit.
    ASSERT_EQ(::flock(journal, LOCK_EX), 0);
    const pid_t caller = spawn_into(
        husk.argv({"run", "--background", "--", "touch " + ran.string()}), husk.dir() / "out");
    EXPECT_FALSE(eventually([&] { return std::filesystem::exists(ran); }, 500ms))
        << "it runs, and is not on record";
    ::kill(caller, SIGKILL);
    ended_within(caller, 10s);
    ::close(journal);
    EXPECT_FALSE(eventually([&] { return std::filesystem::exists(ran); }, 200ms));
    EXPECT_EQ(husk({"log", "--verify"}).code, 0);
}

// The audit knows a call by its id, also one that came to nothing.
TEST(ShellIds, AreNotGivenTwiceAlsoByOthersThatHaveTheSessionOpen) {
    const Husk husk;
    const auto state = run::StateDir::open_or_make(husk.state());
    ASSERT_TRUE(state);
    const auto mine = run::find_or_make_session(*state, "s");
    const auto theirs = run::find_or_make_session(*state, "s");
    ASSERT_TRUE(mine && theirs);
    const auto first = run::make_call_files(**mine, {}, "{}", false);
    ASSERT_TRUE(first);
    run::remove_call_files(**mine, first->number);
    const auto second = run::make_call_files(**theirs, {}, "{}", false);
    ASSERT_TRUE(second);
    EXPECT_NE(second->shell_id, first->shell_id);
}

}  // namespace
}  // namespace husk::test
