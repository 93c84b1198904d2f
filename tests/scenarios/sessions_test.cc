// A session: calls under one name share their processes, from the first of them to its end.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "harness.h"

namespace husk::test {
namespace {

using nlohmann::json;

// Prints the pid of the nursery that it runs under.
constexpr const char* print_nursery = "set -- $(cat /proc/$PPID/stat); echo $4";

class Sessions : public testing::TestWithParam<Who> {
protected:
    Sessions() : husk_(GetParam()) {}

    json in(const std::string& session, const std::string& command) const {
        return husk_.report(command, {"--session", session});
    }
    std::vector<json> listed(const std::string& name) const {
        std::vector<json> found;
        const json all = husk_({"session", "list", "--json"}).json();
        for (const json& session : all["sessions"])
            if (session["name"] == name) found.push_back(session);
        return found;
    }

    size_t shells_running() const {
        size_t count = 0;
        const json all = husk_({"shells", "--json"}).json();
        for (const json& shell : all["shells"]) count += shell["status"] == "running" ? 1U : 0U;
        return count;
    }

    Husk husk_;
    Mark mark_;
};
INSTANTIATE_TEST_SUITE_P(, Sessions, both(), who_name);

TEST_P(Sessions, AreMadeByTheFirstCallAndJoinedByTheNext) {
    const json first = in("work", print_nursery);
    const json second = in("work", print_nursery);
    EXPECT_EQ(first["session"], "work");
    EXPECT_EQ(first["output"], second["output"]);
    EXPECT_EQ(std::to_string(nursery_of(husk_, "work")) + "\n", first["output"].get<std::string>());
    EXPECT_NE(first["shell_id"], second["shell_id"]);
    EXPECT_EQ(listed("work").size(), 1U);
}

TEST_P(Sessions, WithoutANameAreApartAndEndWithTheCall) {
    const json first = husk_.report(print_nursery);
    const json second = husk_.report(print_nursery);
    EXPECT_NE(first["output"], second["output"]);
    EXPECT_NE(first["session"], second["session"]);
    EXPECT_TRUE(eventually([&] { return nursery_of(husk_) == 0; }));
}

TEST_P(Sessions, ShareWhatOneCallLeavesRunning) {
    const json first = in("work", "sleep " + mark_.word() + " & echo $!");
    const std::string pid = lines_of(first["output"]).at(0);
    const json second = in("work", "kill -0 " + pid + " && echo alive; kill " + pid);
    EXPECT_EQ(second["output"], "alive\n");
    EXPECT_EQ(second["exit_code"], 0);
    EXPECT_TRUE(eventually([&] { return mark_.bearers().empty(); }));
    EXPECT_TRUE(eventually([&] { return husk_.shell(first["shell_id"])["leftovers"].empty(); }));
}

TEST_P(Sessions, ThatTwoCallsMakeAtTheSameInstantAreOne) {
    for (int i = 0; i < 50; ++i) {
        const std::string name = "s" + std::to_string(i);
        Live one(husk_, {"run", "--session", name, "--", print_nursery});
        Live two(husk_, {"run", "--session", name, "--", print_nursery});
        const auto first = one.line(20s);
        const auto second = two.line(20s);
        ASSERT_EQ(one.code(), 0) << name;
        ASSERT_EQ(two.code(), 0) << name;
        ASSERT_TRUE(first && second);
        ASSERT_EQ(*first, *second) << name;
        ASSERT_EQ(::kill(std::stoi(*first), SIGTERM), 0);
    }
}

TEST_P(Sessions, EndWithEverythingInThemAndTheEndingsSaySo) {
    Witness witness(husk_.dir());
    const std::string id = husk_.background(
        witness.opening() + "echo kept; echo up >&9; sleep " + mark_.word(), {"--session", "work"});
    ASSERT_TRUE(witness.hears("up"));
    const json left = in("work", "setsid sleep " + mark_.word() + " & true");
    ASSERT_EQ(left["leftovers"].size(), 1U);
    Live foreground(husk_, {"run", "--json", "--session", "work", "--",
                            witness.opening() + "echo fore >&9; sleep " + mark_.word()});
    ASSERT_TRUE(witness.hears("fore"));
    EXPECT_EQ(shells_running(), 2);

    EXPECT_EQ(husk_({"session", "end", "work"}).code, 0);
    EXPECT_TRUE(witness.is_alone(0ms));
    EXPECT_TRUE(eventually([&] { return mark_.bearers().empty(); }));
    const json told = json::parse(foreground.line().value_or("null"));
    ASSERT_TRUE(told.is_object());
    for (const json& shell : {husk_.shell(id), told}) {
        EXPECT_EQ(shell["status"], "cancelled");
        EXPECT_EQ(shell["error"], "its session was ended");
    }
    EXPECT_EQ(husk_.shell(left["shell_id"])["status"], "exited");
    EXPECT_TRUE(husk_.shell(left["shell_id"])["leftovers"].empty());
    EXPECT_EQ(husk_({"output", id}).out, "kept\n");
    EXPECT_EQ(nursery_of(husk_, "work"), 0);
}

TEST_P(Sessions, CanBeUsedAgainAfterTheirEnd) {
    const json before = in("work", "echo one");
    EXPECT_EQ(husk_({"session", "end", "work"}).code, 0);
    EXPECT_EQ(husk_({"session", "end", "work"}).code, 0);  // twice is once
    const json after = in("work", "echo two");
    EXPECT_EQ(after["output"], "two\n");
    EXPECT_NE(after["shell_id"], before["shell_id"]);
    EXPECT_EQ(husk_({"output", before["shell_id"]}).out, "one\n");
}

TEST_P(Sessions, ThatEndWhileACallComesGiveItATrueAnswer) {
    for (int i = 0; i < 20; ++i) {
        in("work", "true");
        Live call(husk_, {"run", "--json", "--session", "work", "--", "echo hi"});
        std::this_thread::sleep_for(std::chrono::milliseconds(i));
        EXPECT_EQ(husk_({"session", "end", "work"}).code, 0);
        const json report = json::parse(call.line(20s).value_or("null"));
        ASSERT_TRUE(report.is_object());
        if (report["status"] == "cancelled") {
            EXPECT_EQ(report["error"], "its session was ended");
        } else {
            EXPECT_EQ(report["status"], "exited") << report;
            EXPECT_EQ(report["output"], "hi\n");
        }
    }
}

TEST_P(Sessions, StayUsableWhereverACallerWasKilled) {
    for (int i = 0; i < 25; ++i) {
        const std::string name = "s" + std::to_string(i / 5);
        Live call(husk_, {"run", "--session", name, "--", "echo hi"});
        std::this_thread::sleep_for(std::chrono::milliseconds(i));
        call.signal(SIGKILL);
        EXPECT_EQ(husk_({"run", "--session", name, "--", "echo ok"}).out, "ok\n");
    }
}

TEST_P(Sessions, OfOthersAreNotTouchedByAnEnd) {
    Witness witness(husk_.dir());
    const std::string id = husk_.background(
        witness.opening() + "echo up >&9; sleep " + mark_.word(), {"--session", "mine"});
    ASSERT_TRUE(witness.hears("up"));
    in("other", "true");
    EXPECT_EQ(husk_({"session", "end", "other"}).code, 0);
    EXPECT_EQ(husk_.shell(id)["status"], "running");
    EXPECT_EQ(husk_({"kill", id}).code, 0);
}

TEST_P(Sessions, AreNotDisturbedByOthersOnTheSameStateDirectory) {
    Witness witness(husk_.dir());
    const auto go = husk_.dir() / "go";
    const std::string id =
        husk_.background(witness.opening() + "echo before; echo up >&9\nuntil [ -e " + go.string() +
                             " ]; do sleep 0.02; done; echo after",
                         {"--session", "mine"});
    ASSERT_TRUE(witness.hears("up"));
    std::vector<std::unique_ptr<Live>> others;
    for (int i = 0; i < 8; ++i)
        others.push_back(std::make_unique<Live>(
            husk_, std::vector<std::string>{"run", "--", "echo " + std::to_string(i)}));
    for (size_t i = 0; i < others.size(); ++i) {
        EXPECT_EQ(others[i]->line(20s), std::to_string(i));
        EXPECT_EQ(others[i]->code(), 0);
    }
    husk_({"shells"});
    write_text(go, "");
    EXPECT_EQ(husk_({"wait", id, "--timeout", "20s"}).code, 0);
    EXPECT_EQ(husk_({"output", id}).out, "before\nafter\n");
}

TEST_P(Sessions, TakeCallersWithAHigherLimitThanTheFirst) {
    const Ran first =
        husk_.script("ulimit -n 1024; \"$HUSK\" run --mode open --session work -- ulimit -Hn");
    EXPECT_EQ(first.out, "1024\n") << first.err;
    const Ran second = husk_({"run", "--session", "work", "--", "echo fine"});
    EXPECT_EQ(second.out, "fine\n") << second.err;
}

TEST_P(Sessions, HaveTheEnvironmentAndDirectoryOfTheCallNotOfTheFirst) {
    EXPECT_EQ(husk_
                  .script("cd /usr; COLOUR=red; export COLOUR; umask 077\n"
                          "\"$HUSK\" run --mode open --session work -- 'echo $COLOUR $PWD; umask'")
                  .out,
              "red /usr\n0077\n");
    EXPECT_EQ(husk_
                  .script("cd /var; COLOUR=blue; export COLOUR; umask 027\n"
                          "\"$HUSK\" run --mode open --session work -- 'echo $COLOUR $PWD; umask'")
                  .out,
              "blue /var\n0027\n");
}

TEST_P(Sessions, OfAnotherUserAreRefused) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can be two users";
    if (GetParam() == Who::Caller) return;
    in("theirs", "true");
    const Ran as_root =
        run_program({"env", "HUSK_STATE=" + husk_.state().string(), HUSK_BINARY, "run", "--mode",
                     "open", "--session", "theirs", "--", "id -u"});
    EXPECT_TRUE(is_refusal(as_root));
    EXPECT_NE(as_root.err.find("it belongs to another user"), std::string::npos) << as_root.err;
}

TEST(SessionNames, AreLettersDigitsDotsDashesAndUnderscores) {
    const Husk husk;
    const std::vector<std::string> good = {"a", "A-1_b.c", "7", std::string(64, 'x')};
    for (const std::string& name : good)
        EXPECT_EQ(husk({"run", "--session", name, "--", "echo ok"}).out, "ok\n") << name;
    const std::vector<std::string> bad = {"..",  ".hidden", "a/b",   "../x",
                                          "a b", "ä",       "$HOME", std::string(65, 'x')};
    for (const std::string& name : bad) {
        const Ran ran = husk({"run", "--session", name, "--", "echo ran"});
        EXPECT_TRUE(is_refusal(ran)) << name;
        EXPECT_NE(ran.err.find("use up to 64 letters"), std::string::npos) << ran.err;
    }
}

TEST(SessionNames, ThatNobodyHasCannotBeEnded) {
    const Husk husk;
    const Ran ran = husk({"session", "end", "nobody"});
    EXPECT_TRUE(is_refusal(ran));
    EXPECT_NE(ran.err.find("husk session list"), std::string::npos) << ran.err;
}

TEST(SessionsInProcess, EndWhenNobodyHasUsedThemForTheLingerTime) {
    const Husk husk;
    Settings settings = husk.settings();
    settings.linger = 300ms;
    {
        Bash bash(settings);
        EXPECT_EQ(bash.run({.command = "echo hi"}, {.session = "short"}).output, "hi\n");
        std::this_thread::sleep_for(500ms);  // not while a client is there
        EXPECT_NE(nursery_of(husk, "short"), 0);
    }
    EXPECT_TRUE(eventually([&] { return nursery_of(husk, "short") == 0; }));
    Bash bash(settings);
    EXPECT_EQ(bash.run({.command = "echo again"}, {.session = "short"}).output, "again\n");
}

TEST(SessionsInProcess, ThatAreJustEndingAreJoinedOrMadeAnew) {
    const Husk husk;
    Settings settings = husk.settings();
    settings.linger = 1ms;
    for (int i = 0; i < 100; ++i) {
        Bash bash(settings);
        const Report report = bash.run({.command = "echo hi"}, {.session = "short"});
        ASSERT_STREQ(status_word(report.ending), "exited") << "call " << i;
        ASSERT_EQ(report.output, "hi\n") << "call " << i;
    }
}

TEST(SessionsInProcess, StayWhileACommandLivesThatWasAskedFor) {
    const Husk husk;
    const Mark mark;
    Settings settings = husk.settings();
    settings.linger = 1ms;
    Report shell;
    {
        Bash bash(settings);
        shell =
            bash.run({.command = "sleep " + mark.word(), .background = true}, {.session = "busy"});
    }
    std::this_thread::sleep_for(500ms);
    EXPECT_NE(nursery_of(husk, "busy"), 0);
    EXPECT_EQ(mark.bearers().size(), 1U);
    EXPECT_EQ(husk({"kill", shell.shell_id}).code, 0);
    EXPECT_TRUE(eventually([&] { return nursery_of(husk, "busy") == 0; }));
}

// Nobody has asked for them: they stay while the session does, and go with it.
TEST(SessionsInProcess, DoNotStayForLeftovers) {
    const Husk husk;
    for (const Mode mode : {Mode::Open, Mode::Workspace})
        for (const std::string session : {"named", ""}) {
            const Mark mark;
            const TempDir work;
            Settings settings = husk.settings();
            settings.linger = 1s;
            Report left;
            {
                Bash bash(settings);
                const ToolContext context{
                    .working_dir = work.path(),
                    .session =
                        session.empty() ? "" : session + std::to_string(static_cast<int>(mode)),
                    .mode = mode};
                left = bash.run({.command = "sleep " + mark.word() + " & true"}, context);
                ASSERT_EQ(left.leftovers.size(), 1U);
                std::this_thread::sleep_for(1500ms);  // not while a client is there
                EXPECT_EQ(mark.bearers().size(), 1U);
            }
            EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
            EXPECT_TRUE(eventually([&] { return nursery_of(husk) == 0; }));
            const auto shell = husk.shell(left.shell_id);
            EXPECT_EQ(shell["status"], "exited") << shell;
            EXPECT_TRUE(shell["leftovers"].empty()) << shell;
        }
}

// A call that comes in time finds them.
TEST(SessionsInProcess, HaveTheirTimeAnewWithEachCall) {
    const Husk husk;
    const Mark mark;
    Settings settings = husk.settings();
    settings.linger = 4s;
    const auto call = [&](const std::string& command) {
        return Bash(settings).run({.command = command}, {.session = "work"});
    };
    call("sleep " + mark.word() + " & true");
    for (int i = 0; i < 3; ++i) {
        std::this_thread::sleep_for(1500ms);
        EXPECT_STREQ(status_word(call("true").ending), "exited");
    }
    EXPECT_EQ(mark.bearers().size(), 1U);
    EXPECT_TRUE(eventually([&] { return mark.bearers().empty(); }));
}

TEST(SessionsInProcess, AreSharedByObjectsAndThreads) {
    const Husk husk;
    Bash one(husk.settings());
    Bash two(husk.settings());
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            Bash& bash = i % 2 == 0 ? one : two;
            for (int call = 0; call < 10; ++call) {
                const std::string word = std::to_string(i * 100 + call);
                const Report report = bash.run({.command = "echo " + word}, {.session = "shared"});
                if (report.output != word + "\n") ++wrong;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(husk({"session", "list", "--json"}).json()["sessions"].size(), 1U);
}

// A keeper may take a plan at the very moment at which the session ends.
TEST(EndingSessions, EndAlsoWhileTheyTakeNewCommands) {
    const Husk husk;
    for (int round = 0; round < 20; ++round) {
        Bash bash(husk.settings());
        std::atomic<bool> over = false;
        std::vector<std::thread> callers;
        for (int i = 0; i < 3; ++i)
            callers.emplace_back([&] {
                while (!over)
                    bash.run({.command = "exec sleep 600", .background = true}, {.session = "s"});
            });
        std::this_thread::sleep_for(std::chrono::milliseconds(10 + round % 7));
        const Ran ended = husk({"session", "end", "s"});
        over = true;
        for (std::thread& caller : callers) caller.join();
        husk({"session", "end", "s"});
        ASSERT_EQ(ended.code, 0) << "round " << round << ": " << ended.err;
    }
}

}  // namespace
}  // namespace husk::test
