// Whatever shape a tree has and however it is ended: when the answer comes, nothing of it lives.
#include <sys/resource.h>

#include <csignal>
#include <future>
#include <sstream>
#include <thread>

#include "harness.h"

namespace husk::test {
namespace {

// What a command has around it when it is ended: $W is the mark, $P the folder of the programs.
struct Tree {
    const char* name;
    const char* script;
    size_t processes;  // that bear the mark when it stands
};

constexpr Tree trees[] = {
    {"SetsidChild", "setsid sleep $W &", 1},
    {"Daemon", "$P/daemon $W", 1},
    {"DoubleFork", "( ( sleep $W & ) & )", 1},
    {"Nohup", "nohup sleep $W >/dev/null 2>&1 &", 1},
    {"Disowned", "sleep $W & disown", 1},
    {"TermIgnorer", "(trap '' TERM; exec sleep $W) &", 1},
    {"StoppedChild", "sleep $W & kill -STOP $!", 1},
    {"StoppedMain", "{ sleep 0.05; kill -STOP $$; sleep $W; } &", 1},
    {"FiveHundred", "$P/crowd 500 $W", 500},
    {"Coproc", "coproc sleep $W", 1},
    {"ProcessSubstitution", "cat <(sleep $W) >/dev/null &", 1},
};

constexpr Tree bombs[] = {
    {"WideBomb", "$P/bomb wide $W &", 400},
    {"RunningBomb", "$P/bomb running $W &", 1},  // none stays long enough to be counted
};

enum class Way { Timeout, Kill, Token, Interrupt, Terminate, CallerKilled, Leftovers, SessionEnd };

constexpr const char* way_names[] = {"Timeout",   "Kill",         "Token",     "Interrupt",
                                     "Terminate", "CallerKilled", "Leftovers", "SessionEnd"};

struct KillingCase {
    Tree tree;
    Way way;
    Who who;
};

std::string case_name(const testing::TestParamInfo<KillingCase>& info) {
    const auto& [tree, way, who] = info.param;
    return std::string(tree.name) + "By" + way_names[static_cast<size_t>(way)] +
           (who == Who::Caller ? "" : "AsOrdinaryUser");
}

template <size_t count>
std::vector<KillingCase> cases(const Tree (&of)[count]) {
    using enum Way;
    std::vector<KillingCase> all;
    for (const Tree& tree : of) {
        // One that is stopped does not end, and leaves nothing over.
        const bool ends = std::string_view(tree.name) != "StoppedMain";
        for (const Way way : {Timeout, Kill, Token, Interrupt, CallerKilled, Leftovers, SessionEnd})
            if (ends || way != Leftovers) all.push_back({tree, way, Who::Caller});
        for (const Way way : {Timeout, Kill, Terminate, Leftovers})
            if (ends || way != Leftovers) all.push_back({tree, way, Who::OrdinaryUser});
    }
    return all;
}

// Who watches a bomb needs the machine too; root can have it, before a thousand others.
class Watching {
public:
    Watching() { ::setpriority(PRIO_PROCESS, 0, -20); }
    ~Watching() { ::setpriority(PRIO_PROCESS, 0, nice_); }
    Watching(const Watching&) = delete;
    Watching& operator=(const Watching&) = delete;

private:
    int nice_ = ::getpriority(PRIO_PROCESS, 0);
};

class Killing : public testing::TestWithParam<KillingCase> {
protected:
    Killing() : husk_(GetParam().who), witness_(husk_.dir()) {}

    std::string tree() const {
        return "W=" + mark_.word() + " P=" HUSK_TEST_PROGRAMS_DIR "\n" + witness_.opening() +
               GetParam().tree.script + "\necho up >&9\n";
    }
    std::string command() const { return tree() + "sleep $W"; }

    bool stands() {
        const Watching watching;
        const size_t with_main = GetParam().tree.processes + 1;
        return witness_.hears("up") &&
               eventually([&] { return mark_.bearers().size() >= with_main; }, 20s);
    }
    void expect_nothing_left(std::chrono::milliseconds within = 0ms) {
        const Watching watching;
        EXPECT_TRUE(witness_.is_alone(within)) << "something still holds the pipe";
        EXPECT_TRUE(eventually([&] { return mark_.bearers().empty(); }, within));
    }

    void by_timeout();
    void by_kill();
    void by_token();
    void by_signal(int signal);
    void by_death_of_the_caller();
    void as_leftovers();
    void by_end_of_session();
    void by_all_means();

    Husk husk_;
    Mark mark_;
    Witness witness_;
};

class AloneKilling : public Killing {};

void Killing::by_timeout() {
    // On a busy machine the tree may not stand when the time is over: then with more time.
    for (const char* limit : {"400ms", "2s", "8s"}) {
        const auto report = husk_.report(
            command(), {"--timeout", limit, "--patience", "200ms", "--limit", "processes=none"});
        EXPECT_EQ(report["status"], "timed_out");
        EXPECT_TRUE(report["leftovers"].empty()) << report;
        expect_nothing_left();
        if (witness_.heard().find("up") != std::string::npos) return;
    }
    ADD_FAILURE() << "the tree did not stand within 8 s";
}

void Killing::by_kill() {
    const std::string id = husk_.background(command(), {"--limit", "processes=none"});
    ASSERT_TRUE(stands());
    EXPECT_EQ(husk_({"kill", id, "--patience", "200ms"}).code, 0);
    expect_nothing_left();
    const auto shell = husk_.shell(id);
    EXPECT_EQ(shell["status"], "signaled");
    EXPECT_TRUE(shell["leftovers"].empty()) << shell;
}

void Killing::by_token() {
    Bash bash(husk_.settings());
    std::stop_source stop;
    auto answer = std::async(std::launch::async, [&] {
        return bash.run(
            {.command = command(), .stop = {.patience = 200ms}, .limits = {.processes = 0}},
            {.cancel = stop.get_token()});
    });
    const bool stood = stands();
    stop.request_stop();
    const Report report = answer.get();
    ASSERT_TRUE(stood);
    EXPECT_STREQ(status_word(report.ending), "cancelled");
    EXPECT_TRUE(report.leftovers.empty());
    expect_nothing_left();
}

void Killing::by_signal(int signal) {
    Live live(husk_, {"run", "--json", "--patience", "200ms", "--limit", "processes=none", "--",
                      command()});
    ASSERT_TRUE(stands());
    live.signal(signal);
    const auto report = nlohmann::json::parse(live.line(20s).value_or("null"));
    EXPECT_EQ(live.code(), 128 + signal);
    ASSERT_TRUE(report.is_object());
    EXPECT_EQ(report["status"], "cancelled");
    EXPECT_TRUE(report["leftovers"].empty()) << report;
    expect_nothing_left();
}

void Killing::by_death_of_the_caller() {
    Live live(husk_, {"run", "--limit", "processes=none", "--", command()});
    ASSERT_TRUE(stands());
    live.signal(SIGKILL);
    // A bomb leaves neither the dying caller nor the keeper much of the machine.
    const bool bomb = std::string_view(GetParam().tree.name).ends_with("Bomb");
    expect_nothing_left(bomb ? 5s : 1s);
}

void Killing::as_leftovers() {
    const auto report =
        husk_.report(tree() + "exit 3", {"--leftovers", "kill", "--limit", "processes=none"});
    EXPECT_TRUE(witness_.hears("up"));
    EXPECT_EQ(report["status"], "exited");
    EXPECT_EQ(report["exit_code"], 3);
    EXPECT_TRUE(report["leftovers"].empty()) << report;
    expect_nothing_left();
}

void Killing::by_end_of_session() {
    const std::string id =
        husk_.background(command(), {"--session", "doomed", "--limit", "processes=none"});
    ASSERT_TRUE(stands());
    EXPECT_EQ(husk_({"session", "end", "doomed"}).code, 0);
    expect_nothing_left();
    const auto shell = husk_.shell(id);
    EXPECT_EQ(shell["status"], "cancelled");
    EXPECT_EQ(shell["error"], "its session was ended");
}

void Killing::by_all_means() {
    switch (GetParam().way) {
        case Way::Timeout: return by_timeout();
        case Way::Kill: return by_kill();
        case Way::Token: return by_token();
        case Way::Interrupt: return by_signal(SIGINT);
        case Way::Terminate: return by_signal(SIGTERM);
        case Way::CallerKilled: return by_death_of_the_caller();
        case Way::Leftovers: return as_leftovers();
        case Way::SessionEnd: return by_end_of_session();
    }
}

TEST_P(Killing, LeavesNothingBehind) { by_all_means(); }
INSTANTIATE_TEST_SUITE_P(, Killing, testing::ValuesIn(cases(trees)), case_name);

TEST_P(AloneKilling, LeavesNothingOfABombBehind) { by_all_means(); }
INSTANTIATE_TEST_SUITE_P(, AloneKilling, testing::ValuesIn(cases(bombs)), case_name);

// Keepers, and the cgroups that they may have, serve one command after the other.
class AfterAKill : public testing::Test {
protected:
    void expect_that_all_keepers_work() {
        for (int i = 0; i < 8; ++i) {
            const Report report = bash_.run({.command = "sleep 0.002; echo ok"});
            EXPECT_STREQ(status_word(report.ending), "exited") << "call " << i;
            EXPECT_EQ(report.output, "ok\n") << "call " << i;
        }
    }

    Husk husk_;
    Bash bash_{husk_.settings()};
};

TEST_F(AfterAKill, ByTimeoutTheNextCommandsRunAsEver) {
    for (int i = 0; i < 3; ++i) {
        const Report killed = bash_.run(
            {.command = "trap '' TERM; sleep 60", .timeout = 100ms, .stop = {.patience = 50ms}});
        EXPECT_STREQ(status_word(killed.ending), "timed_out");
    }
    expect_that_all_keepers_work();
}

TEST_F(AfterAKill, OfLeftoversTheNextCommandsRunAsEver) {
    for (int i = 0; i < 3; ++i)
        bash_.run({.command = "sleep 60 & true", .leftovers = husk::Leftovers::Kill});
    expect_that_all_keepers_work();
}

TEST_F(AfterAKill, OfAKeeperTheNextCommandsRunAsEver) {
    const Report lost = bash_.run({.command = "sleep 0.05; kill -KILL $PPID; sleep 60"});
    EXPECT_STREQ(status_word(lost.ending), "lost");
    expect_that_all_keepers_work();
}

TEST(CancellingACall, BeforeTheStartIsACancelledCallToo) {
    const Husk husk;
    Bash bash(husk.settings());
    std::stop_source stop;
    stop.request_stop();
    for (int i = 0; i < 50; ++i) {
        const Report report = bash.run({.command = "sleep 5"}, {.cancel = stop.get_token()});
        ASSERT_STREQ(status_word(report.ending), "cancelled") << "call " << i;
    }
}

// Keepers serve one command after the other, and a signal may come late.
TEST(CancellingACall, TooLateDoesNotTouchTheNextCommands) {
    const Husk husk;
    Bash bash(husk.settings());
    for (int i = 0; i < 200; ++i) {
        std::stop_source stop;
        std::thread late([&] {
            std::this_thread::sleep_for(std::chrono::microseconds(500 + i * 15));
            stop.request_stop();
        });
        bash.run({.command = "true"}, {.cancel = stop.get_token()});
        for (int next = 0; next < 3; ++next) {
            const Report report = bash.run({.command = "echo done"});
            EXPECT_STREQ(status_word(report.ending), "exited") << "call " << i;
            EXPECT_EQ(report.output, "done\n") << "call " << i;
        }
        late.join();
        if (HasFailure()) return;
    }
}

TEST(CancellingACall, ThatItsKeeperHasNoMoreDoesNotTouchTheNextCommands) {
    const Husk husk;
    Bash bash(husk.settings());
    ASSERT_EQ(bash.run({.command = "echo first"}).output, "first\n");
    const std::string nursery = std::to_string(nursery_of(husk));
    std::istringstream keepers(read_text("/proc/" + nursery + "/task/" + nursery + "/children"));
    int asked = 0;
    for (pid_t keeper = 0; keepers >> keeper; ++asked) ASSERT_EQ(::kill(keeper, SIGTERM), 0);
    ASSERT_GT(asked, 0);
    for (int i = 0; i < 4; ++i) {
        const Report report = bash.run({.command = "sleep 0.05; echo done"});
        EXPECT_STREQ(status_word(report.ending), "exited");
        EXPECT_EQ(report.output, "done\n");
    }
}

TEST(CancellingACall, AnswersWithWhatWasWrittenBefore) {
    const Husk husk;
    Bash bash(husk.settings());
    std::stop_source stop;
    Witness witness(husk.dir());
    auto answer = std::async(std::launch::async, [&] {
        return bash.run({.command = witness.opening() + "echo before; echo up >&9; sleep 60"},
                        {.cancel = stop.get_token()});
    });
    EXPECT_TRUE(witness.hears("up"));
    stop.request_stop();
    const Report report = answer.get();
    EXPECT_STREQ(status_word(report.ending), "cancelled");
    EXPECT_EQ(report.output, "before\n");
}

TEST(Ladder, AsksFirstAndKillsWhenPatienceIsOver) {
    const Husk husk;
    // What bash says about the sleep that is asked as well is not wanted here.
    const std::string forever = "; exec 2>/dev/null; while :; do sleep 0.01; done";
    const auto polite = husk.report("trap 'echo bye; exit 0' TERM" + forever,
                                    {"--timeout", "2s", "--patience", "20s"});
    EXPECT_EQ(polite["status"], "timed_out");
    EXPECT_EQ(polite["output"], "bye\n");
    EXPECT_LT(polite["duration_ms"].get<double>(), 7000 * slowness());
    const auto deaf =
        husk.report("trap 'echo no' TERM" + forever, {"--timeout", "2s", "--patience", "2s"});
    EXPECT_EQ(deaf["status"], "timed_out");
    EXPECT_EQ(deaf["output"], "no\n");
    EXPECT_GE(deaf["duration_ms"].get<double>(), 3990);
}

TEST(Ladder, StartsWithTheSignalThatWasAskedFor) {
    const Husk husk;
    Witness witness(husk.dir());
    const std::string id =
        husk.background(witness.opening() + "trap 'echo usr1; exit 4' USR1; exec 2>/dev/null\n" +
                        "echo up >&9; while :; do sleep 0.01; done");
    ASSERT_TRUE(witness.hears("up"));
    EXPECT_EQ(husk({"kill", id, "--signal", "USR1", "--patience", "10s"}).code, 0);
    EXPECT_EQ(husk({"output", id}).out, "usr1\n");
    EXPECT_EQ(husk.shell(id)["exit_code"], 4);
}

TEST(Ladder, OfAnEndedShellIsNoError) {
    const Husk husk;
    const std::string id = husk.background("exit 6");
    EXPECT_EQ(husk({"wait", id}).code, 6);
    const Ran ran = husk({"kill", id, "--json"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.json()["exit_code"], 6);
    EXPECT_EQ(ran.json()["notes"][0], "it had already ended");
}

}  // namespace
}  // namespace husk::test
