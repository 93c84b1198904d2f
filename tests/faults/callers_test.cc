// What callers say is true also of those that are killed, or have run out of something.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <future>

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
    EXPECT_FALSE(eventually([&] { return std::filesystem::exists(ran); }, 500ms / slowness()))
        << "it runs, and is not on record";
    ::kill(caller, SIGKILL);
    ended_within(caller, 10s);
    ::close(journal);
    EXPECT_FALSE(eventually([&] { return std::filesystem::exists(ran); }, 200ms));
    EXPECT_EQ(husk({"log", "--verify"}).code, 0);
}

TEST(EndOfACommand, IsInTheAuditAsSoonAsInTheSpool) {
    const Husk husk;
    // The caller is gone before the end, and does not record it.
    const std::string id = husk.background("sleep 1; exit 3");
    ASSERT_EQ(husk({"wait", id, "--timeout", "20s"}).code, 3);
    const Json record = husk({"log", "--json"}).json();
    EXPECT_EQ(record.value("status", ""), "exited") << record;
    EXPECT_EQ(record.value("exit_code", -1), 3) << record;
}

// On a full disk, a call that came to nothing leaves an empty record, so that nobody gets its id.
TEST(EmptyRecord, DoesNotRunForEverInTheAudit) {
    const Husk husk;
    // The caller is gone before the end, and does not record it.
    const std::string id = husk.background("sleep 1; exit 3");
    ASSERT_EQ(husk({"wait", id, "--timeout", "20s"}).code, 3);
    const auto session = husk.state() / "sessions" / id.substr(0, id.rfind('-'));
    const std::string number = id.substr(id.rfind('-') + 1);
    std::filesystem::resize_file(session / "rec" / number, 0);
    std::filesystem::remove(session / "log" / (number + ".log"));
    EXPECT_EQ(husk({"log", "--json"}).json().value("status", ""), "unknown");
}

// Takes all descriptors from this process between the start of a call and its end.
class NoDescriptors : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual_), 0);
        std::filesystem::create_directory(husk.dir() / "work");
        ASSERT_STREQ(status_word(bash.run({.command = "true"}, in_workspace()).ending), "exited");
        ASSERT_STREQ(status_word(bash.run({.command = "true"}).ending), "exited");
    }
    void TearDown() override { give_back(); }
    void give_back() const { ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual_), 0); }
    ToolContext taking_all(ToolContext context = {}) const {
        context.on_start = [most = usual_.rlim_max](const std::string&) {
            const rlimit none{0, most};
            ::setrlimit(RLIMIT_NOFILE, &none);
        };
        return context;
    }
    ToolContext in_workspace() const {
        ToolContext context;
        context.mode = Mode::Workspace;
        context.workspace = context.working_dir = husk.dir() / "work";
        return context;
    }

    const Husk husk;
    Bash bash{husk.unchecked_settings()};

private:
    rlimit usual_{};
};

TEST_F(NoDescriptors, AfterTheStartOfACommandMakeItNoLessStarted) {
    const Report report = bash.run({.command = "echo fine; sleep 0.2; exit 3"}, taking_all());
    give_back();
    EXPECT_EQ(exit_code(report.ending), 3) << status_word(report.ending);
    EXPECT_EQ(report.output, "fine\n");
}

TEST_F(NoDescriptors, DoNotHoldUpTheAnswerToOneOfManyCalls) {
    std::promise<Report> promise;
    bash.run({.command = "sleep 0.2; exit 3"}, taking_all(),
             [&](Report report) { promise.set_value(std::move(report)); });
    auto answer = promise.get_future();
    ASSERT_EQ(answer.wait_for(patient(20s)), std::future_status::ready);
    give_back();
    EXPECT_EQ(exit_code(answer.get().ending), 3);
}

// Who keeps it is told by /proc, which cannot be opened.
TEST_F(NoDescriptors, DoNotMakeACommandLostThatRuns) {
    const Report report =
        bash.run({.command = "sleep 60", .background = true}, taking_all(in_workspace()));
    give_back();
    EXPECT_STREQ(status_word(report.ending), "running");
    EXPECT_EQ(husk({"kill", report.shell_id}).code, 0);
}

// Whichever descriptor is the first that cannot be had, a command either did not run, or the answer
// says how it ended.
TEST(TooFewDescriptors, MakeNoAnswerUntrue) {
    const Husk husk;
    const std::string running = husk.background("sleep 60", {"--mode", "workspace"});
    for (int limit = 4; limit <= 40; ++limit) {
        const auto ran = husk.dir() / ("ran-" + std::to_string(limit));
        const std::string limited = "ulimit -Sn " + std::to_string(limit) + "; exec $HUSK ";
        const Ran call =
            husk.script(limited + "run --json --mode open -- 'touch " + ran.string() + "; exit 3'");
        const Json report = Json::parse(call.out, nullptr, false);
        const bool exited = report.is_object() && report.value("status", "") == "exited";
        EXPECT_EQ(exited, std::filesystem::exists(ran)) << limit << ": " << call.out << call.err;
        const Ran seen = husk.script(limited + "shells --json");
        const Json shells = Json::parse(seen.out, nullptr, false);
        if (!shells.is_object()) continue;
        for (const Json& shell : shells["shells"])
            if (shell["shell_id"] == running) {
                EXPECT_EQ(shell["status"], "running") << limit << ": " << seen.out;
            }
    }
    EXPECT_EQ(husk({"kill", running}).code, 0);
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
