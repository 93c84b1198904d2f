// Protected names that shells make after their call has answered are taken away too, and told; what
// the user makes meanwhile is not.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <memory>
#include <thread>

#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

// So long after its last write, a session is not blamed for what comes then.
constexpr auto quiet = 5500ms;

class Sentry : public testing::TestWithParam<Who>, public Walled {
protected:
    Sentry() : Walled(GetParam()) { write(work() / ".git" / "HEAD", "ref: refs/heads/main\n"); }

    bool is_there(const std::string& name) const {
        return fs::exists(fs::symlink_status(work() / name));
    }
    std::string path(const std::string& name) const { return (work() / name).string(); }
    // What the shell is said to have made.
    std::vector<std::string> reverted(const std::string& id) const {
        return husk().shell(id)["reverted"].get<std::vector<std::string>>();
    }
    // A call in the foreground, under way.
    std::unique_ptr<Live> begin(const std::string& command,
                                const std::vector<std::string>& options = {}) const {
        std::vector<std::string> args = {"run", "--mode", "workspace",     "--checks",
                                         "off", "--cwd",  work().string(), "--json"};
        args.insert(args.end(), options.begin(), options.end());
        args.insert(args.end(), {"--", command});
        return std::make_unique<Live>(husk(), args);
    }
    std::string background(const std::string& command) const {
        const Ran ran = in("workspace", command, {"--background"});
        EXPECT_EQ(ran.code, 0) << ran.err;
        return ran.out.substr(0, ran.out.find('\n'));
    }
};

INSTANTIATE_TEST_SUITE_P(, Sentry, both(), who_name);

TEST_P(Sentry, TakesAwayWhatABackgroundShellMakes) {
    const std::string id = background(
        "sleep 1; mkdir -p .git/hooks .vscode; echo x > .git/hooks/pre-commit; echo x > husk.yaml\n"
        "echo x > y; mv y .mcp.json; ln -s /tmp .idea; echo kept > other; sleep 300");
    ASSERT_TRUE(eventually([&] { return is_there("other"); }));
    const std::vector<std::string> names = {".git/hooks", ".vscode", "husk.yaml", ".mcp.json",
                                            ".idea"};
    for (const std::string& name : names)
        EXPECT_TRUE(eventually([&] { return !is_there(name); })) << name;
    EXPECT_TRUE(eventually([&] { return reverted(id).size() == names.size(); }));
    EXPECT_THAT(reverted(id),
                UnorderedElementsAre(path(".git/hooks"), path(".vscode"), path("husk.yaml"),
                                     path(".mcp.json"), path(".idea")));
    EXPECT_EQ(read_text(work() / "other"), "kept\n");
    EXPECT_TRUE(is_there(".git/HEAD"));
    // A second time, too.
    background("echo x > husk.yaml; echo x > again; sleep 300");
    ASSERT_TRUE(eventually([&] { return is_there("again"); }));
    EXPECT_TRUE(eventually([&] { return !is_there("husk.yaml"); }));
}

// Where git would look for settings, and for a submodule that is not there.
TEST_P(Sentry, TakesAwayWhatLeadsElsewhere) {
    const std::string commit(40, '1');
    const Ran prepared = husk().script("cd '" + work().string() +
                                       "' && HOME=/nonexistent git init -q && git "
                                       "update-index --add --cacheinfo 160000," +
                                       commit + ",sub && mkdir sub");
    ASSERT_EQ(prepared.code, 0) << prepared.err;
    const std::string id = background(
        "sleep 1; echo ../evil > .git/commondir; git init -q sub; mkdir -p inf gh/copilot; ln -s "
        "gh "
        ".github; mv .git/info old; echo x > inf/attributes; ln -s ../inf .git/info; touch other;"
        "sleep 300");
    ASSERT_TRUE(eventually([&] { return is_there("other"); }));
    for (const char* name : {".git/commondir", "sub/.git", ".github", ".git/info"})
        EXPECT_TRUE(eventually([&] { return !is_there(name); })) << name;
    EXPECT_TRUE(eventually([&] { return reverted(id).size() == 4; }));
    EXPECT_THAT(reverted(id),
                UnorderedElementsAre(path(".git/commondir"), path("sub/.git"),
                                     path(".github/copilot"), path(".git/info/attributes")));
    EXPECT_TRUE(is_there("gh/copilot"));
    EXPECT_TRUE(is_there("inf/attributes"));
}

// It ends with what it has made; so does its session.
TEST_P(Sentry, TakesAwayTheLastThingThatIsMade) {
    const nlohmann::json report =
        report_in("workspace", "(sleep 1; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit) &");
    EXPECT_EQ(report["leftovers"].size(), 2U) << report;
    EXPECT_TRUE(report["reverted"].empty()) << report;
    const std::string id = report["shell_id"];
    EXPECT_EQ(husk()({"wait", id, "--timeout", "20s"}).code, 0);
    ASSERT_TRUE(eventually([&] { return nursery_of(husk()) == 0; }));
    EXPECT_TRUE(eventually([&] { return !is_there(".git/hooks"); }));
    EXPECT_TRUE(eventually([&] { return !reverted(id).empty(); }));
    EXPECT_THAT(reverted(id), UnorderedElementsAre(path(".git/hooks")));
}

// A link is as old as the file, and has its other name no more.
TEST_P(Sentry, TakesAwayALinkThatHidesWhereItCameFrom) {
    const std::string id = background(
        "echo x > old; until [ -e go ]; do sleep 0.1; done; ln old .mcp.json; rm old; sleep 300");
    ASSERT_TRUE(eventually([&] { return is_there("old"); }));
    std::this_thread::sleep_for(quiet);
    write(work() / "go", "");
    EXPECT_TRUE(eventually([&] { return reverted(id).size() == 1; }));
    EXPECT_FALSE(is_there(".mcp.json"));
}

// A file that is made without a name, and gets one at once, is as young as its name.
TEST_P(Sentry, TakesAwayAFileThatWasMadeWithoutAName) {
    write(work() / "make.py",
          "import os, time\n"
          "while not os.path.exists('go'): time.sleep(0.1)\n"
          "file = os.open('.', os.O_TMPFILE | os.O_NONBLOCK | os.O_RDWR, 0o644)\n"
          "here = os.open('.', os.O_RDONLY)\n"
          "os.link(f'/proc/self/fd/{file}', '.mcp.json', dst_dir_fd=here, follow_symlinks=True)\n"
          "time.sleep(300)\n");
    const std::string id = background("touch up; exec python3 make.py");
    ASSERT_TRUE(eventually([&] { return is_there("up"); }));
    std::this_thread::sleep_for(quiet);
    write(work() / "go", "");
    EXPECT_TRUE(eventually([&] { return reverted(id).size() == 1; }));
    EXPECT_FALSE(is_there(".mcp.json"));
}

// A file system that does not tell how old a file is cannot clear it of being such a link.
TEST(SentryWithoutBirthTimes, TakesAwayAFileWhoseAgeIsUnknown) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can mount";
    const Walled place(Who::Caller);
    if (::mount("none", place.work().c_str(), "ramfs", 0, nullptr) != 0)
        GTEST_SKIP() << "no ramfs here";
    const auto is_there = [&](const char* name) { return fs::exists(place.work() / name); };
    place.write(place.work() / "probe", "");
    struct statx probe{};
    ASSERT_EQ(::statx(AT_FDCWD, (place.work() / "probe").c_str(), 0, STATX_BTIME, &probe), 0);
    EXPECT_EQ(probe.stx_mask & STATX_BTIME, 0U) << "the file system tells birth times";
    const Ran shell = place.in("workspace",
                               "echo x > old; until [ -e go ]; do sleep 0.1; done; ln old "
                               ".mcp.json; rm old; touch made; sleep 300",
                               {"--background", "--session", "s"});
    EXPECT_EQ(shell.code, 0) << shell.err;
    EXPECT_TRUE(eventually([&] { return is_there("old"); }));
    std::this_thread::sleep_for(quiet);
    place.write(place.work() / "go", "");
    EXPECT_TRUE(eventually([&] { return is_there("made"); }));
    EXPECT_TRUE(eventually([&] { return !is_there(".mcp.json"); }));
    place.husk()({"session", "end", "s"});
    EXPECT_EQ(::umount2(place.work().c_str(), MNT_DETACH), 0);
}

// A shell that only waits has made nothing.
TEST_P(Sentry, LeavesAloneWhatTheUserMakes) {
    const std::string id =
        background("touch up; until [ -e go ]; do sleep 0.1; done; mkdir .cursor; sleep 300");
    ASSERT_TRUE(eventually([&] { return is_there("up"); }));
    std::this_thread::sleep_for(quiet);
    write(work() / ".vscode" / "settings.json", "{}\n");
    write(work() / "husk.yaml", "mode: read-only\n");
    write(work() / "go", "");
    EXPECT_TRUE(eventually([&] { return reverted(id).size() == 1; }));
    EXPECT_THAT(reverted(id), UnorderedElementsAre(path(".cursor")));
    EXPECT_FALSE(is_there(".cursor"));
    EXPECT_EQ(read_text(work() / ".vscode" / "settings.json"), "{}\n");
    EXPECT_EQ(read_text(work() / "husk.yaml"), "mode: read-only\n");
}

// A client that gives up often sends SIGKILL: then nobody is left who looks at the end of the call.
TEST_P(Sentry, TakesAwayWhatTheCommandOfAKilledCallerMade) {
    for (const std::string session : {"", "s"}) {
        const std::vector<std::string> options =
            session.empty() ? std::vector<std::string>()
                            : std::vector{std::string("--session"), session};
        const auto caller =
            begin("mkdir .vscode; echo x > .vscode/tasks.json; touch made; sleep 300", options);
        ASSERT_TRUE(eventually([&] { return is_there("made"); }));
        caller->signal(SIGKILL);
        EXPECT_TRUE(eventually([&] { return !is_there(".vscode"); })) << session;
        fs::remove(work() / "made");
    }
}

// Whoever writes a file right after a call wants to keep it.
TEST_P(Sentry, LeavesAloneWhatTheUserMakesRightAfterACall) {
    for (int round = 0; round < 10; ++round) {
        const Ran ran = in("workspace", "mkdir .cursor; touch made", {"--session", "s"});
        ASSERT_EQ(ran.code, 0) << ran.err;
        EXPECT_FALSE(is_there(".cursor"));
        write(work() / ".mcp.json", "{}\n");
        const Ran next = in("workspace", "cat .mcp.json", {"--session", "s"});
        EXPECT_EQ(next.out, "{}\n") << round;
        fs::remove(work() / ".mcp.json");
    }
}

// A protected name that was there can be made by a command once somebody else has removed it.
TEST_P(Sentry, TellsOfAProtectedFileThatWasReplaced) {
    write(work() / ".vscode" / "settings.json", "{}\n");
    const auto call = begin(
        "touch made; while [ -e .vscode ]; do sleep 0.02; done; mkdir .vscode; touch .vscode/x");
    ASSERT_TRUE(eventually([&] { return is_there("made"); }));
    fs::remove_all(work() / ".vscode");
    const nlohmann::json report = nlohmann::json::parse(call->line().value_or("{}"));
    EXPECT_THAT(report["notes"].dump(),
                testing::HasSubstr(path(".vscode") + " was replaced while the command ran"));
}

// The next call of a session does not take what the call before it makes for the user's.
TEST_P(Sentry, DoesNotProtectWhatAnotherCallOfTheSessionMakes) {
    const auto first = begin("mkdir .vscode; touch made; while [ ! -e go ]; do sleep 0.02; done",
                             {"--session", "s"});
    ASSERT_TRUE(eventually([&] { return is_there("made"); }));
    const Ran second = in("workspace", "touch go", {"--session", "s"});
    EXPECT_EQ(second.code, 0) << second.err;
    const nlohmann::json report = nlohmann::json::parse(first->line().value_or("{}"));
    EXPECT_THAT(report["reverted"].dump(), testing::HasSubstr(path(".vscode")));
    EXPECT_FALSE(is_there(".vscode"));
}

// What the user moves or links there is the user's too, once nothing of the session is alive, or if
// it has been quiet.
TEST_P(Sentry, LeavesAloneWhatTheUserMovesAndLinks) {
    for (const std::string command : {"touch up", "touch up; sleep 300 >/dev/null 2>&1 &"}) {
        const Ran ran = in("workspace", command, {"--session", "s"});
        ASSERT_EQ(ran.code, 0) << ran.err;
        if (command != "touch up") std::this_thread::sleep_for(quiet);
        write(work() / "mine", "{}\n");
        fs::create_hard_link(work() / "mine", work() / "husk.yaml");
        fs::rename(work() / "mine", work() / ".mcp.json");
        fs::create_symlink("/etc/profile", work() / ".envrc");
        const Ran next = in("workspace", "touch next", {"--session", "s"});
        ASSERT_EQ(next.code, 0) << next.err;
        std::this_thread::sleep_for(1s);  // the mason would take them away after 0.3 s
        for (const char* name : {"husk.yaml", ".mcp.json", ".envrc"}) {
            EXPECT_TRUE(is_there(name)) << name << " after " << command;
            fs::remove(work() / name);
        }
        husk()({"session", "end", "s"});
    }
}

// The same name elsewhere, or many other names, are no reason to take away what the user made.
TEST_P(Sentry, BlamesTheSessionOnlyForWhatIsNew) {
    const std::string commit(40, '1');
    const Ran prepared = husk().script("cd '" + work().string() +
                                       "' && HOME=/nonexistent git init -q && git "
                                       "update-index --add --cacheinfo 160000," +
                                       commit + ",sub && mkdir sub");
    ASSERT_EQ(prepared.code, 0) << prepared.err;
    const std::string id = background(
        "touch up; until [ -e go ]; do sleep 0.1; done; git init -q sub; for i in {1..20000}; do "
        "echo > n$((i % 50)); done; touch other; sleep 300");
    ASSERT_TRUE(eventually([&] { return is_there("up"); }));
    std::this_thread::sleep_for(quiet);
    write(work() / ".vscode" / "settings.json", "{}\n");
    write(work() / "go", "");
    EXPECT_TRUE(eventually([&] { return is_there("other"); }, 60s));
    EXPECT_TRUE(eventually([&] { return !is_there("sub/.git"); }));
    EXPECT_EQ(read_text(work() / ".vscode" / "settings.json"), "{}\n");
}

// A time that is left over from before the machine was started again lies in the future.
TEST_P(Sentry, BelievesNoTimeOfAnEarlierStartOfTheMachine) {
    ASSERT_EQ(in("workspace", "true", {"--session", "s"}).code, 0);
    husk()({"session", "end", "s"});
    for (const fs::directory_entry& entry : fs::directory_iterator(husk().state() / "sessions"))
        write(entry.path() / "settled", std::string(7, '\x7f') + '\x10');
    const auto caller =
        begin("mkdir .vscode; echo x > .vscode/x; touch made; sleep 300", {"--session", "s"});
    ASSERT_TRUE(eventually([&] { return is_there("made"); }));
    caller->signal(SIGKILL);
    EXPECT_TRUE(eventually([&] { return !is_there(".vscode"); }));
}

// Husk looks at the names when a call ends, and then reads the index, which takes long if it is
// large. The name is made in that time on most machines; on others it is taken away all the same.
TEST_P(Sentry, TakesAwayWhatAnotherShellMakesWhileACallEnds) {
    write(work() / "shell.py",
          "import os, time\n"
          "while not os.path.exists('go'): time.sleep(0.0005)\n"
          "time.sleep(0.03)\n"
          "os.rename('prepared', '.mcp.json')\n");
    const std::vector<std::string> session = {"--session", "s"};
    ASSERT_EQ(in("workspace", "rm -rf .git; git init -q; echo x > prepared", session).code, 0);
    ASSERT_EQ(in("workspace", "python3 shell.py", {"--session", "s", "--background"}).code, 0);
    const Ran call =
        in("workspace",
           "b=$(git hash-object -w prepared); seq 300000 | sed \"s/^/100644 $b 0\\tx\\//\" | "
           "git update-index --index-info; touch go",
           session);
    ASSERT_EQ(call.code, 0) << call.err;
    EXPECT_TRUE(eventually([&] { return !is_there("prepared"); }));
    EXPECT_TRUE(eventually([&] { return !is_there(".mcp.json"); }));
}

// A flood of names keeps the mason neither from looking nor from answering.
TEST_P(Sentry, IsNotKeptBusyByAFloodOfNames) {
    write(work() / "flood.py",
          "import os, sys, time\n"
          "end = time.time() + 8\n"
          "open(sys.argv[1], 'w')\n"
          "while time.time() < end:\n"
          "    for i in range(100):\n"
          "        os.link(sys.argv[1], sys.argv[1] + '.n'); os.unlink(sys.argv[1] + '.n')\n");
    const Ran first = in("workspace",
                         "for i in 1 2 3; do python3 flood.py f$i & done >/dev/null 2>&1; sleep 1; "
                         "echo x > evil; ln evil .envrc; echo hi",
                         {"--session", "s"});
    EXPECT_EQ(first.out, "hi\n") << first.err;
    EXPECT_FALSE(is_there(".envrc"));
    const auto started = std::chrono::steady_clock::now();
    const Ran second =
        in("workspace", "ln evil .envrc; echo again", {"--session", "s", "--timeout", "20s"});
    EXPECT_EQ(second.out, "again\n") << second.err;
    EXPECT_LT(std::chrono::steady_clock::now() - started, patient(6s));
    EXPECT_FALSE(is_there(".envrc"));
}

// Whoever makes such a name as often as it is taken away loses the session.
TEST_P(Sentry, EndsASessionThatInsists) {
    const Ran shell = in("workspace",
                         "echo x > old; while :; do [ -e .envrc ] || ln old .envrc; sleep 0.02; "
                         "[ -e go ] && rm go && : > .git/commondir; done",
                         {"--background", "--session", "s"});
    const std::string id = shell.out.substr(0, shell.out.find('\n'));
    husk()({"wait", id, "--timeout", "60s"});
    EXPECT_EQ(husk().shell(id)["status"], "cancelled") << husk().shell(id);
    EXPECT_THAT(husk().shell(id)["notes"].dump(),
                testing::HasSubstr("the session was ended, because something in it made " +
                                   path(".envrc")));
    EXPECT_TRUE(eventually([&] { return !is_there(".envrc"); }));
    const Ran next = in("workspace", "ls -A; true", {"--session", "s"});
    EXPECT_EQ(next.code, 0) << next.err;
    EXPECT_THAT(next.out, testing::Not(testing::HasSubstr(".envrc")));
}

// What is on its way out is not protected by the call that comes in between.
TEST_P(Sentry, IsFasterThanTheNextCall) {
    const Ran shell = in("workspace", "sleep 1; echo x > .mcp.json; echo x > made; sleep 300",
                         {"--background", "--session", "s"});
    ASSERT_EQ(shell.code, 0) << shell.err;
    ASSERT_TRUE(eventually([&] { return is_there("made"); }));
    const Ran next = in("workspace", "cat .mcp.json; true", {"--session", "s"});
    EXPECT_EQ(next.code, 0) << next.err;
    EXPECT_TRUE(eventually([&] { return !is_there(".mcp.json"); }));
}

// One that is there now and then is not taken for the user's by whoever looks at such a moment.
TEST(SentryInProcess, IsNotOutrunByANameThatComesAndGoes) {
    const Walled place(Who::Caller);
    const auto is_there = [&](const char* name) { return fs::exists(place.work() / name); };
    place.write(
        place.work() / "flicker.py",
        "import os\n"
        "open('evil', 'w').write('evil')\n"
        "while not os.path.exists('end'):\n"
        "    for i in range(200):\n"
        "        for act in (lambda: os.link('evil', '.envrc'), lambda: os.unlink('.envrc')):\n"
        "            try: act()\n"
        "            except OSError: pass\n");
    Bash bash(place.husk().settings());
    const ToolContext context{.working_dir = place.work(), .mode = Mode::Workspace};
    const Report shell =
        bash.run({.command = "python3 flicker.py", .timeout = 60s, .background = true}, context);
    ASSERT_TRUE(eventually([&] { return is_there("evil"); }));
    for (int i = 0; i < 40; ++i) bash.run({.command = "sleep 2 & sleep 0.01"}, context);
    place.write(place.work() / "end", "");
    std::ignore = Shells(place.husk().settings()).wait(shell.shell_id, {}, 30s);
    EXPECT_TRUE(eventually([&] { return !is_there(".envrc"); }));
}

}  // namespace
}  // namespace husk::test
