// Who dies, and what then: the caller, the keeper, the nursery, or several of them.
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <future>
#include <memory>
#include <sstream>
#include <thread>

#include "harness.h"

namespace husk::test {
namespace {

// A program that uses the library, in a process of its own that can be killed. It stays until then.
class Caller {
public:
    Caller(Who who, const std::function<void()>& body) : pid_(::fork()) {
        if (pid_ != 0) return;
        const bool drop = who == Who::OrdinaryUser && ::geteuid() == 0;
        if (drop && (::setresgid(ordinary_uid, ordinary_uid, ordinary_uid) != 0 ||
                     ::setresuid(ordinary_uid, ordinary_uid, ordinary_uid) != 0))
            ::_exit(1);
        body();
        for (;;) ::pause();
    }
    ~Caller() { kill(); }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;

    void kill() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
    }

private:
    pid_t pid_;
};

// Goes on when the file is there.
std::string wait_for_file(const std::filesystem::path& file) {
    return "until [ -e " + file.string() + " ]; do sleep 0.02; done\n";
}

// Kills it, and waits until it is nobody's any more.
void kill_for_good(pid_t pid) {
    ASSERT_GT(pid, 1);
    ::kill(pid, SIGKILL);
    ASSERT_TRUE(eventually([&] { return !is_alive(pid); }));
}

class CallerDeath : public testing::TestWithParam<Who> {};
INSTANTIATE_TEST_SUITE_P(, CallerDeath, both(), who_name);

TEST_P(CallerDeath, LetsABackgroundCommandGoOnAndItsEndingIsFoundById) {
    const Husk husk(GetParam());
    const auto go = husk.dir() / "go";
    Witness witness(husk.dir());
    Caller caller(GetParam(), [&] {
        Bash bash(husk.settings());
        bash.run({.command = witness.opening() + "echo before; echo pid $$ >&9\n" +
                             wait_for_file(go) + "echo after; exit 5",
                  .background = true});
    });
    ASSERT_TRUE(witness.hears("\n"));
    caller.kill();
    const auto shells = husk({"shells", "--json"}).json()["shells"];
    ASSERT_EQ(shells.size(), 1U);
    EXPECT_EQ(shells[0]["status"], "running");
    const std::string id = shells[0]["shell_id"];
    write_text(go, "");
    const auto waited = husk({"wait", id, "--json", "--timeout", "20s"}).json();
    EXPECT_EQ(waited["status"], "exited");
    EXPECT_EQ(waited["exit_code"], 5);
    EXPECT_EQ(husk({"output", id}).out, "before\nafter\n");
    EXPECT_TRUE(eventually([&] { return nursery_of(husk) == 0; }))
        << "the private session of a dead caller stays";
}

TEST_P(CallerDeath, EndsAForegroundCommandWithinASecond) {
    const Husk husk(GetParam());
    const Mark mark;
    Witness witness(husk.dir());
    Caller caller(GetParam(), [&] {
        Bash bash(husk.settings());
        bash.run(
            {.command = witness.opening() + "trap '' TERM; echo up >&9; sleep " + mark.word()});
    });
    ASSERT_TRUE(witness.hears("up"));
    caller.kill();
    EXPECT_TRUE(witness.is_alone(1s));
    EXPECT_TRUE(mark.bearers().empty());
    nlohmann::json shell;
    EXPECT_TRUE(eventually([&] {
        shell = husk({"shells", "--json"}).json()["shells"][0];
        return shell["status"] == "cancelled";
    })) << shell;
    EXPECT_EQ(shell["error"], "its caller died");
}

TEST_P(CallerDeath, EndsItAlsoWhenAChildOfTheCallerHoldsEverythingOpen) {
    const Husk husk(GetParam());
    const Mark mark;
    Witness witness(husk.dir());
    const auto heir_file = husk.dir() / "heir";
    Caller caller(GetParam(), [&] {
        const auto fork_an_heir = [&](const std::string&) {
            const pid_t heir = ::fork();
            if (heir > 0) return write_text(heir_file, std::to_string(heir) + "\n");
            ::alarm(30);
            for (;;) ::pause();
        };
        Bash bash(husk.settings());
        bash.run({.command = witness.opening() + "echo up >&9; sleep " + mark.word()},
                 {.on_start = fork_an_heir});
    });
    ASSERT_TRUE(witness.hears("up"));
    ASSERT_TRUE(eventually([&] { return read_text(heir_file).ends_with("\n"); }));
    const pid_t heir = std::stoi(read_text(heir_file));
    caller.kill();
    EXPECT_TRUE(witness.is_alone(1s));
    EXPECT_TRUE(is_alive(heir));
    ::kill(heir, SIGKILL);
}

TEST_P(CallerDeath, AfterATimeoutThatDoesNotKillChangesNothing) {
    const Husk husk(GetParam());
    Witness witness(husk.dir());
    const auto go = husk.dir() / "go";
    const auto report =
        husk.report(witness.opening() + "echo up >&9\n" + wait_for_file(go) + "echo after",
                    {"--timeout", "200ms", "--on-timeout", "background"});
    ASSERT_EQ(report["status"], "running");
    ASSERT_TRUE(witness.hears("up"));
    EXPECT_FALSE(witness.is_alone(400ms));
    write_text(go, "");
    EXPECT_EQ(husk({"wait", report["shell_id"], "--timeout", "20s"}).out, "after\n");
}

struct KeeperCase {
    int signal;
    Who who;
};

std::string keeper_case_name(const testing::TestParamInfo<KeeperCase>& info) {
    return std::string(info.param.signal == SIGKILL ? "Kill" : "Stop") +
           (info.param.who == Who::Caller ? "" : "AsOrdinaryUser");
}

class KeeperDeath : public testing::TestWithParam<KeeperCase> {
protected:
    KeeperDeath() : husk_(GetParam().who), witness_(husk_.dir()) {}

    // Tells the witness who keeps it, when a tree stands around it.
    std::string command() const {
        return witness_.opening() + "setsid sleep " + mark_.word() + " &\n" +
               "echo printed\necho keeper $PPID >&9\nsleep " + mark_.word();
    }
    pid_t keeper() {
        EXPECT_TRUE(witness_.hears("\n"));
        return std::stoi(witness_.heard().substr(std::string("keeper ").size()));
    }
    void strike() { ::kill(keeper(), GetParam().signal); }
    void expect_lost(const nlohmann::json& report) {
        EXPECT_EQ(report["status"], "lost");
        EXPECT_EQ(report["exit_code"], nullptr);
        EXPECT_EQ(report["signal"], nullptr);
        EXPECT_EQ(report["error"], GetParam().signal == SIGKILL
                                       ? "its keeper was killed"
                                       : "its keeper was stopped, and killed for that");
    }
    void expect_nothing_left() {
        EXPECT_TRUE(witness_.is_alone());
        EXPECT_TRUE(eventually([&] { return mark_.bearers().empty(); }));
    }

    Husk husk_;
    Mark mark_;
    Witness witness_;
};

INSTANTIATE_TEST_SUITE_P(, KeeperDeath,
                         testing::Values(KeeperCase{SIGKILL, Who::Caller},
                                         KeeperCase{SIGKILL, Who::OrdinaryUser},
                                         KeeperCase{SIGSTOP, Who::Caller},
                                         KeeperCase{SIGSTOP, Who::OrdinaryUser}),
                         keeper_case_name);

TEST_P(KeeperDeath, TakesTheTreeAlongAndTheShellIsLost) {
    const std::string id = husk_.background(command());
    ASSERT_GT(keeper(), 1);
    strike();
    expect_nothing_left();
    expect_lost(husk_.shell(id));
}

TEST_P(KeeperDeath, GivesTheCallerOfAForegroundCallAnAnswer) {
    Live live(husk_, {"run", "--json", "--", command()});
    ASSERT_GT(keeper(), 1);
    std::this_thread::sleep_for(1s);  // the nursery knows the record after a tenth of that
    strike();
    const auto report = nlohmann::json::parse(live.line().value_or("null"));
    ASSERT_TRUE(report.is_object());
    expect_lost(report);
    EXPECT_EQ(live.code(), 125);
    expect_nothing_left();
}

TEST_P(KeeperDeath, OfWhatACommandLeftTakesThatAlongAndKeepsTheEnding) {
    const auto report = husk_.report("setsid sleep " + mark_.word() + " & echo hi; exit 6");
    ASSERT_EQ(report["leftovers"].size(), 1U) << report;
    const pid_t leftover = report["leftovers"][0]["pid"].get<pid_t>();
    ::kill(parent_of(leftover), GetParam().signal);
    EXPECT_TRUE(eventually([&] { return !is_alive(leftover); }));
    const auto shell = husk_.shell(report["shell_id"]);
    EXPECT_EQ(shell["status"], "exited");
    EXPECT_EQ(shell["exit_code"], 6);
    EXPECT_TRUE(shell["leftovers"].empty()) << shell;
}

TEST_P(KeeperDeath, DoesNotDisturbTheOthersOfItsSession) {
    const auto go = husk_.dir() / "go";
    Witness other_witness(husk_.dir());
    const std::string other =
        husk_.background(other_witness.opening() + "setsid sleep " + mark_.word() + " &\n" +
                             "echo $! >&9\n" + wait_for_file(go) + "echo fine; exit 4",
                         {"--session", "shared"});
    ASSERT_TRUE(other_witness.hears("\n"));
    const pid_t child_of_other = std::stoi(other_witness.heard());
    const std::string id = husk_.background(command(), {"--session", "shared"});
    strike();
    EXPECT_TRUE(witness_.is_alone());
    EXPECT_TRUE(eventually([&] { return husk_.shell(id)["status"] == "lost"; }));
    EXPECT_TRUE(is_alive(child_of_other));
    write_text(go, "");
    const auto waited = husk_({"wait", other, "--json", "--timeout", "20s"}).json();
    EXPECT_EQ(waited["exit_code"], 4);
    EXPECT_EQ(waited["output"], "fine\n");
    EXPECT_EQ(husk_({"run", "--session", "shared", "--", "echo next"}).out, "next\n");
}

// So soon that the nursery does not know the record.
TEST(KeeperDeathAtOnce, ByItsOwnCommandIsNoMoreThanALostCommand) {
    const Husk husk(Who::OrdinaryUser);
    const Mark mark;
    for (const char* signal : {"KILL", "STOP"}) {
        const auto report =
            husk.report(std::string("kill -") + signal + " $PPID; sleep " + mark.word());
        EXPECT_EQ(report["status"], "lost");
        EXPECT_EQ(report["exit_code"], nullptr);
        EXPECT_FALSE(report["error"].is_null());
        EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
    }
}

// All that this process starts while this lives has one processor, and little of that: a keeper may
// then come to its next step long after the command has come to its own.
class OneBusyProcessor {
public:
    OneBusyProcessor() {
        ::sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
            if (CPU_ISSET(cpu, &before_) && CPU_COUNT(&one) == 0) CPU_SET(cpu, &one);
        ::sched_setaffinity(0, sizeof one, &one);
        load_ = std::make_unique<Load>(6);
    }
    ~OneBusyProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }
    OneBusyProcessor(const OneBusyProcessor&) = delete;
    OneBusyProcessor& operator=(const OneBusyProcessor&) = delete;

private:
    cpu_set_t before_{};
    std::unique_ptr<Load> load_;
};

TEST(AloneKeeperDeath, NeverMakesACommandRunTwice) {
    const Husk husk;
    const auto runs = husk.dir() / "runs";
    constexpr int calls = 8;
    {
        const OneBusyProcessor busy;
        std::vector<std::future<Report>> answers;
        for (int i = 0; i < calls; ++i) {
            answers.push_back(std::async(std::launch::async, [&, i] {
                Bash bash(husk.settings());
                return bash.run({.command = "echo " + std::to_string(i) + " >>" + runs.string() +
                                            "; kill -KILL $PPID; sleep 60"});
            }));
        }
        for (std::future<Report>& answer : answers)
            EXPECT_STREQ(status_word(answer.get().ending), "lost");
    }
    std::vector<std::string> lines = lines_of(read_text(runs));
    std::ranges::sort(lines);
    EXPECT_EQ(lines, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7"}));
}

TEST(KeeperDeathAtOnce, BeforeItHasACommandIsNotNoticed) {
    const Husk husk;
    Bash bash(husk.settings());
    for (const int signal : {SIGKILL, SIGSTOP, SIGKILL}) {
        const Report report = bash.run({.command = "echo fine"});
        ASSERT_STREQ(status_word(report.ending), "exited");
        ASSERT_EQ(report.output, "fine\n");
        const std::string nursery = std::to_string(nursery_of(husk));
        std::istringstream keepers(
            read_text("/proc/" + nursery + "/task/" + nursery + "/children"));
        for (pid_t keeper = 0; keepers >> keeper;) ASSERT_EQ(::kill(keeper, signal), 0);
    }
    EXPECT_EQ(bash.run({.command = "echo fine"}).output, "fine\n");
}

class NurseryDeath : public testing::TestWithParam<Who> {};
INSTANTIATE_TEST_SUITE_P(, NurseryDeath, both(), who_name);

TEST_P(NurseryDeath, LetsKeepersFinishAndTheNextCallStartsANewOne) {
    const Husk husk(GetParam());
    const auto go = husk.dir() / "go";
    Witness witness(husk.dir());
    const std::string id = husk.background(
        witness.opening() + "echo before; echo up >&9\n" + wait_for_file(go) + "echo after; exit 3",
        {"--session", "s"});
    ASSERT_TRUE(witness.hears("up"));
    const pid_t nursery = nursery_of(husk, "s");
    kill_for_good(nursery);
    EXPECT_EQ(husk.shell(id)["status"], "running");
    EXPECT_EQ(husk({"run", "--session", "s", "--", "echo again"}).out, "again\n");
    EXPECT_NE(nursery_of(husk, "s"), 0);
    EXPECT_NE(nursery_of(husk, "s"), nursery);
    write_text(go, "");
    const auto waited = husk({"wait", id, "--json", "--timeout", "20s"}).json();
    EXPECT_EQ(waited["status"], "exited");
    EXPECT_EQ(waited["exit_code"], 3);
    EXPECT_EQ(husk({"output", id}).out, "before\nafter\n");
    EXPECT_TRUE(witness.is_alone());
}

TEST_P(NurseryDeath, LeavesItsShellsStoppable) {
    const Husk husk(GetParam());
    const Mark mark;
    Witness witness(husk.dir());
    const std::string id = husk.background(
        witness.opening() + "setsid sleep " + mark.word() + " & echo up >&9; sleep " + mark.word(),
        {"--session", "s"});
    ASSERT_TRUE(witness.hears("up"));
    kill_for_good(nursery_of(husk, "s"));
    EXPECT_EQ(husk({"kill", id}).code, 0);
    EXPECT_TRUE(witness.is_alone(0ms));
    EXPECT_EQ(husk.shell(id)["status"], "signaled");
}

TEST_P(NurseryDeath, AndThatOfTheKeeperIsALostShellAndNoWrongAnswer) {
    const Husk husk(GetParam());
    const Mark mark;
    Witness witness(husk.dir());
    const std::string id = husk.background(
        witness.opening() + "echo keeper $PPID >&9; sleep " + mark.word(), {"--session", "s"});
    ASSERT_TRUE(witness.hears("\n"));
    const pid_t keeper = std::stoi(witness.heard().substr(std::string("keeper ").size()));
    kill_for_good(nursery_of(husk, "s"));
    kill_for_good(keeper);
    const auto shell = husk.shell(id);
    EXPECT_EQ(shell["status"], "lost");
    EXPECT_EQ(shell["exit_code"], nullptr);
    EXPECT_EQ(shell["error"], "its keeper was killed");
    EXPECT_EQ(husk({"kill", id}).code, 0);
    EXPECT_EQ(husk({"run", "--session", "s", "--", "echo again"}).out, "again\n");
}

TEST(NurseryDeathInProcess, IsNotNoticedByTheSameObject) {
    const Husk husk;
    Bash bash(husk.settings());
    for (int i = 0; i < 5; ++i) {
        const Report report = bash.run({.command = "echo " + std::to_string(i)});
        EXPECT_EQ(report.output, std::to_string(i) + "\n");
        // None, if a spare keeper of the one before was quicker than its own end.
        const pid_t nursery = nursery_of(husk);
        ASSERT_TRUE(i > 0 || nursery > 1);
        if (nursery > 1) kill_for_good(nursery);
    }
}

TEST(NurseryDeathInProcess, AtTheMomentOfACallIsNoWrongAnswer) {
    const Husk husk;
    Bash bash(husk.settings());
    for (int i = 0; i < 20; ++i) {
        const std::string number = std::to_string(i);
        ASSERT_EQ(bash.run({.command = "echo " + number}).output, number + "\n");
        // None, if the one before was slow to die and its keepers were quick.
        if (const pid_t nursery = nursery_of(husk); nursery > 1) ::kill(nursery, SIGKILL);
        const Report report = bash.run({.command = "echo again " + number});
        ASSERT_STREQ(status_word(report.ending), "exited") << "call " << i;
        ASSERT_EQ(report.output, "again " + number + "\n");
    }
}

TEST(NurseryDeathInProcess, DoesNotEndACallUnderWay) {
    const Husk husk;
    const auto go = husk.dir() / "go";
    Bash bash(husk.settings());
    Witness witness(husk.dir());
    auto answer = std::async(std::launch::async, [&] {
        return bash.run({.command = witness.opening() + "echo up >&9\n" + wait_for_file(go) +
                                    "echo after; exit 9"});
    });
    EXPECT_TRUE(witness.hears("up"));
    kill_for_good(nursery_of(husk));
    write_text(go, "");
    const Report report = answer.get();
    EXPECT_EQ(exit_code(report.ending), 9);
    EXPECT_EQ(report.output, "after\n");
}

TEST(EmbeddingProgram, SeesNoChildOfOursAndNoSigchld) {
    static volatile std::sig_atomic_t seen = 0;
    seen = 0;
    const auto before = std::signal(SIGCHLD, [](int) { seen = seen + 1; });
    const Husk husk;
    {
        Bash bash(husk.settings());
        for (int i = 0; i < 20; ++i) bash.run({.command = "sleep 0.001 & true"});
        bash.run({.command = "sleep 0.001 & true"}, {.session = "named"});
    }
    EXPECT_EQ(seen, 0);
    errno = 0;
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1);
    EXPECT_EQ(errno, ECHILD);
    std::signal(SIGCHLD, before);
}

TEST(EmbeddingProgram, ThatIgnoresSigchldGetsTheSameAnswers) {
    const Husk husk;
    const auto before = std::signal(SIGCHLD, SIG_IGN);
    Bash bash(husk.settings());
    const Report report = bash.run({.command = "(exit 7); echo $?; exit 3"});
    std::signal(SIGCHLD, before);
    EXPECT_EQ(exit_code(report.ending), 3);
    EXPECT_EQ(report.output, "7\n");
}

}  // namespace
}  // namespace husk::test
