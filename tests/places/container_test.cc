// Commands in containers of a real engine, by the contract agentrail and by husk run.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "in_container.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST_F(InContainer, ACommandEndsAsOnTheHost) {
    EXPECT_EQ(
        ran("echo out; echo err >&2; exit 3"),
        (Json{{"mode", "foreground"}, {"exit_code", 3}, {"stdout", "out\n"}, {"stderr", "err\n"}}));
    EXPECT_EQ(text_of(call("echo hi")), "hi\n\n\n[exit code: 0]");
    EXPECT_EQ(ran("kill -TERM $$")["exit_code"], 143);
    // Standard input is at its end.
    EXPECT_EQ(
        ran("cat; no-such-program; printf 'a\\0b'; printf '\\377' >&2; exec no-such")["exit_code"],
        127);
    const Json much = ran("seq 1 300000");
    EXPECT_THAT(much["stdout"].get<std::string>(),
                AllOf(StartsWith("1\n2\n"), HasSubstr("[output truncated]")));
    // One container for all of them.
    EXPECT_EQ(test_engine().containers().size(), 1U);
}

TEST_F(InContainer, TheWorkspaceIsAllThatIsThere) {
    write_text(work("here"), "from outside\n");
    fs::create_directories(work("sub"));
    EXPECT_EQ(ran("pwd; cat here; echo inside > made")["stdout"], "/workspace\nfrom outside\n");
    EXPECT_EQ(read_text(work("made")), "inside\n");
    EXPECT_EQ(ran("pwd", {{"working_directory", "/workspace/sub"}})["stdout"], "/workspace/sub\n");
    for (const char* outside : {"/", "/etc", "/workspace/../etc", "/workspacex"}) {
        const Json refused = call("pwd", {{"working_directory", outside}});
        EXPECT_TRUE(is_error(refused)) << outside;
        EXPECT_THAT(text_of(refused), HasSubstr("must be inside /workspace"));
    }
    EXPECT_NE(ran("ls " + talk_.husk().state().string())["exit_code"], 0);
    // What it writes belongs to the caller.
    struct stat info{};
    ASSERT_EQ(::stat(work("made").c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, ::geteuid());
}

TEST_F(InContainer, MemoCannotBeWritten) {
    fs::create_directories(work("memo/session"));
    write_text(work("memo/session/NOTES.md"), "mine\n");
    EXPECT_EQ(ran("cat memo/session/NOTES.md")["stdout"], "mine\n");
    EXPECT_EQ(those_that_work({"echo x > /workspace/memo/session/NOTES.md", "touch memo/new",
                               "rm -rf memo", "mv memo other", "mkdir memo/user",
                               "chmod 777 memo/session/NOTES.md",
                               "ln memo/session/NOTES.md x && echo y > x"}),
              "");
    EXPECT_EQ(read_text(work("memo/session/NOTES.md")), "mine\n");
}

TEST_F(InContainer, MemoCannotBeMadeEither) {
    EXPECT_NE(ran("mkdir -p memo && touch memo/x")["exit_code"], 0);
    EXPECT_FALSE(fs::exists(work("memo/x")));
}

TEST_F(InContainer, ThereIsNoNetworkNoPrivilegeAndALimit) {
    EXPECT_EQ(ran("ls /sys/class/net")["stdout"], "lo\n");
    EXPECT_EQ(ran("echo hi > /dev/tcp/192.0.2.1/80")["exit_code"], 1);
    EXPECT_THAT(ran("while read -r line; do echo \"$line\"; done < /proc/self/status")["stdout"]
                    .get<std::string>(),
                AllOf(HasSubstr("NoNewPrivs:\t1"), Not(HasSubstr("CapEff:\t000001ff"))));
    EXPECT_EQ(ran("ulimit -c; ulimit -n")["stdout"], "0\n4096\n");
}

// No engine refuses that by itself.
TEST_F(InContainer, SystemCallsAreFilteredAsOnTheHost) {
    EXPECT_EQ(those_that_work({"touch file", "chmod 755 file", "chmod g+s .", "chmod 4755 file",
                               "chmod u+s file"}),
              "touch file\nchmod 755 file\nchmod g+s .\n");
}

TEST_F(InContainer, NothingIsTooDangerousThere) {
    // On the host the pack `destroyers` would say no. The machine has stand-ins for what is meant.
    write_text(work("mkfs"), "#!/bin/bash\necho formatted \"$@\"\n");
    fs::permissions(work("mkfs"), fs::perms::owner_all);
    EXPECT_EQ(ran("PATH=/workspace:$PATH; mkfs /dev/sda")["stdout"], "formatted /dev/sda\n");
    configure("packs: {destroyers: on}\n");
    EXPECT_TRUE(is_error(call("PATH=/workspace:$PATH; mkfs /dev/sda")));
    configure("permissions: {deny: [\"Bash(touch:*)\"]}\n");
    EXPECT_TRUE(is_error(call("touch x")));
}

TEST_F(InContainer, ATimeoutMovesItToTheBackgroundWithoutANumber) {
    const Json result = call("echo early; while [[ ! -e go ]]; do sleep 0.05; done; echo late",
                             {{"timeout", 5000}});
    EXPECT_THAT(text_of(result), StartsWith("Process is running in background\n"));
    EXPECT_EQ(result["structuredContent"],
              (Json{{"mode", "background"}, {"stdout", "early\n"}, {"stderr", ""}}));
    const std::string id = shells()[0]["shell_id"];
    EXPECT_EQ(husk({"output", id}).out, "early\n");
    write_text(work("go"), "");
    EXPECT_EQ(husk({"wait", id}).code, 0);
    EXPECT_EQ(husk({"output", id}).out, "early\nlate\n");
}

TEST_F(InContainer, AtOnceInTheBackground) {
    const Json result = call("sleep 600", {{"timeout", 0}});
    EXPECT_EQ(result["structuredContent"]["mode"], "background");
    EXPECT_FALSE(result["structuredContent"].contains("pid"));
}

TEST_F(InContainer, KillingIsKillingTheTreeInside) {
    call(
        "(setsid sleep 601 & ) ; nohup sleep 602 >/dev/null 2>&1 & trap '' TERM; sleep 603; sleep "
        "604",
        {{"timeout", 300}});
    ASSERT_TRUE(eventually([&] { return something_sleeps(); }, 30s));
    const std::string id = shells()[0]["shell_id"];
    EXPECT_EQ(husk({"kill", "--patience", "200ms", id}).code, 0);
    EXPECT_TRUE(eventually([&] { return !something_sleeps(); }));
}

TEST_F(InContainer, WhatItIsAskedItCanAnswer) {
    call("trap 'echo asked; exit 7' TERM; echo ready; touch up; while :; do sleep 0.05; done",
         {{"timeout", 300}});
    ASSERT_TRUE(eventually([&] { return fs::exists(work("up")); }, 30s));
    const std::string id = shells()[0]["shell_id"];
    husk({"kill", "--patience", "30s", id});
    EXPECT_EQ(husk({"output", id}).out, "ready\nasked\n");
    EXPECT_EQ(talk_.husk().shell(id)["exit_code"], 7);
}

TEST_F(InContainer, WhatStaysBehindIsKeptAndFound) {
    const Json result = ran("sleep 605 & echo hi");
    EXPECT_EQ(result["mode"], "foreground");
    EXPECT_EQ(result["stdout"], "hi\n");
    const Json shell = shells()[0];
    EXPECT_EQ(shell["leftovers"].size(), 1U) << shell;
    husk({"kill", shell["shell_id"]});
    EXPECT_TRUE(eventually([&] { return !something_sleeps(); }));
}

TEST_F(InContainer, ACallerThatIsKilledTakesTheCommandAlong) {
    const Json arguments = {{"command", "touch began; sleep 606"}};
    const pid_t caller = talk_.husk().start(talk_.args("Bash", arguments.dump()));
    ASSERT_TRUE(eventually([&] { return fs::exists(work("began")); }, 30s));
    ::kill(caller, SIGKILL);
    ::waitpid(caller, nullptr, 0);
    EXPECT_TRUE(eventually([&] { return !something_sleeps(); }));
}

TEST_F(InContainer, WhatHasLostWhoeverStoodForItDies) {
    const std::string command = "sleep " + unique_word();
    call(command, {{"timeout", 300}});
    ASSERT_TRUE(eventually([&] { return something_sleeps(); }, 30s));
    for (const pid_t pid : processes_with(command))
        if (read_text("/proc/" + std::to_string(pid) + "/cmdline").contains("--container"))
            ::kill(pid, SIGKILL);
    EXPECT_TRUE(eventually([&] { return !something_sleeps(); }));
}

TEST_F(InContainer, WhatHasLostItsWardenDies) {
    const Json result = ran("sleep 608 & kill -KILL $PPID; sleep 609");
    EXPECT_EQ(result["exit_code"], 137);
    EXPECT_TRUE(eventually([&] { return !something_sleeps(); }));
}

// Each link of the chain starts the next when its parent has been killed, and waits for it.
TEST_F(InContainer, AChainThatHasLostItsWardenDiesAsAWhole) {
    write_text(work("chain.sh"),
               "while :; do\n"
               "  read -r _ _ _ parent _ < /proc/$$/stat\n"
               "  if [[ $parent = 1 ]]; then bash /workspace/chain.sh & wait; fi\n"
               "  sleep 0.05\n"
               "done\n");
    husk({"run", "--cwd", talk_.work(), "--",
          "setsid bash chain.sh >/dev/null 2>&1 </dev/null & sleep 0.3; kill -9 $PPID; sleep 60"});
    EXPECT_TRUE(eventually([&] { return test_engine().is_empty(); }, 15s));
}

// Nobody who looks at processes one by one would ever meet one that is still there.
TEST_F(InContainer, WhatForksFasterThanItCanBeSeenDiesToo) {
    write_text(work("runs.sh"), "f() { f & exit; }\nf\n");
    const Ran ran = husk({"run", "--cwd", talk_.work(), "--",
                          "setsid bash runs.sh >/dev/null 2>&1 </dev/null & touch began; kill -9 "
                          "$PPID; sleep 60"});
    EXPECT_TRUE(fs::exists(work("began"))) << ran.err;
    EXPECT_TRUE(eventually([&] { return test_engine().is_empty(); }, 20s));
    // The same with a warden that lives.
    const std::string id = talk_.husk().background("setsid bash runs.sh; touch again; sleep 60",
                                                   {"--cwd", talk_.work()});
    EXPECT_TRUE(eventually([&] { return fs::exists(work("again")); }));
    husk({"kill", "--patience", "100ms", id});
    EXPECT_TRUE(eventually([&] { return test_engine().is_empty(); }, 20s));
}

TEST_F(InContainer, NobodyLooksIntoAWarden) {
    EXPECT_EQ(those_that_work({"cat /proc/self/environ >/dev/null", "cat /proc/1/environ",
                               "cat /proc/$PPID/environ", "cat /proc/1/maps",
                               "cat /run/husk/warden >/dev/null && [[ $UID != 0 ]]"}),
              "cat /proc/self/environ >/dev/null\n");
}

TEST_F(InContainer, TheContainerEndsWithItsSession) {
    ran("touch /kept-in-the-session");
    EXPECT_EQ(ran("ls /kept-in-the-session")["exit_code"], 0);
    call("sleep 610", {{"timeout", 300}});
    EXPECT_EQ(test_engine().containers().size(), 1U);
    EXPECT_EQ(husk({"session", "end", session()}).code, 0);
    EXPECT_THAT(test_engine().containers(), IsEmpty());
    EXPECT_NE(ran("ls /kept-in-the-session")["exit_code"], 0);  // another one
}

TEST_F(InContainer, ItEndsByItselfWhenNobodyNeedsIt) {
    configure("session: {linger: 1s}\n");
    ran("true");
    EXPECT_TRUE(eventually([&] { return test_engine().is_empty(); }, 20s));
    EXPECT_EQ(ran("echo again")["stdout"], "again\n");
}

TEST_F(InContainer, SomebodyElseMayHaveRemovedIt) {
    ran("true");
    test_engine().remove_containers();
    EXPECT_EQ(ran("echo again")["stdout"], "again\n");
}

TEST_F(InContainer, HuskRunCanDoItToo) {
    const std::string cwd = talk_.work();
    const Json report = talk_.husk().report(
        "pwd; cat; echo e >&2", {"--cwd", cwd, "--stdin-text", "in\n", "--streams", "split"});
    EXPECT_EQ(report["stdout"], "/workspace\nin\n");
    EXPECT_EQ(report["stderr"], "e\n");
    EXPECT_EQ(report["confinement"]["mode"], "container");
    EXPECT_EQ(report["usage"]["user_ms"], nullptr);
    const Ran read_only = husk({"run", "--mode", "read-only", "--cwd", cwd, "touch x"});
    EXPECT_NE(read_only.code, 0);
    // What nobody has given a session has a container of its own, until it ends.
    EXPECT_TRUE(eventually([&] { return test_engine().is_empty(); }, 20s));
}

TEST_F(InContainer, FilesThatOthersTrustStayAsTheyAre) {
    configure("mode: workspace\n");
    write_text(work("husk.yaml"), "# mine\n");
    fs::create_directories(work(".git/hooks"));
    EXPECT_EQ(those_that_work({"echo x > husk.yaml", "touch .git/hooks/pre-commit", "mv .git x"}),
              "");
    configure("mode: open\nprotect: [a/b]\n");
    fs::create_directories(work("a/b"));
    EXPECT_EQ(those_that_work({"touch .git/hooks/x", "touch a/b/x", "mv a c"}),
              "touch .git/hooks/x\n");
}

// ---- what can be wrong

TEST_F(InContainer, AFailureSaysWhatToDo) {
    const auto refused = [&](const std::string& yaml) {
        talk_.configure("place: container\n" + yaml);
        const Json result = call("true");
        EXPECT_TRUE(is_error(result)) << result;
        EXPECT_EQ(lines_of(text_of(result)).size(), 1U);
        return text_of(result);
    };
    const std::string socket = "socket: " + test_engine().socket();
    EXPECT_THAT(refused("container: {" + socket + "}\n"), HasSubstr("container.image"));
    EXPECT_THAT(refused("container: {" + socket + ", image: no-such-image}\n"),
                AllOf(HasSubstr("no image no-such-image"), HasSubstr("pull")));
    EXPECT_THAT(refused("container: {socket: /nowhere/x.sock, image: x}\n"),
                AllOf(HasSubstr("/nowhere/x.sock"), HasSubstr("start")));
    EXPECT_THAT(refused("container: {" + socket + ", image: husk-test}\nnetwork: [example.org]\n"),
                HasSubstr("list of hosts"));
    EXPECT_THAT(refused("container: {" + socket + ", image: husk-test}\nlimits: {disk: 1G}\n"),
                HasSubstr("limits.disk"));
    const std::string file = work("plain");
    write_text(file, "");
    EXPECT_THAT(refused("container: {socket: " + file + ", image: x}\n"), HasSubstr(file));
    const Ran other = husk({"tools", "--contract", "anthropic"});
    EXPECT_EQ(other.code, 125);
    EXPECT_THAT(other.err, HasSubstr("cannot run in a container"));
}

TEST_F(InContainer, AWorkspaceCannotChooseIt) {
    talk_.configure("");
    write_text(work("husk.yaml"), "place: container\ncontainer: {image: x}\n");
    EXPECT_EQ(ran("echo here")["stdout"], "here\n");
}

}  // namespace
}  // namespace husk::test
