// What a closed mode keeps in, and what it lets through, seen by somebody who works there.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "temp_dir.h"
#include "walled.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;

class Walls : public Walled, public testing::TestWithParam<Who> {
protected:
    Walls() : Walled(GetParam()) {}
};

TEST_P(Walls, OfWorkspaceLetWorkBeDone) {
    const Ran ran =
        in("workspace", "cat file && echo new > made && mkdir d && mv made d/ && cat d/made");
    EXPECT_EQ(ran.out, "of the workspace\nnew\n") << ran.err;
    EXPECT_EQ(read_text(work() / "d" / "made"), "new\n");
}

TEST_P(Walls, OfReadOnlyLetNothingBeChanged) {
    const Ran ran = in("read-only",
                       "cat file; { echo x > file; echo y > made; rm -f file; chmod 777 file; "
                       "touch -d 2001-01-01 file; ln file hard; mkdir d; } 2>/dev/null; echo done");
    EXPECT_EQ(ran.out, "of the workspace\ndone\n") << ran.err;
    EXPECT_EQ(read_text(work() / "file"), "of the workspace\n");
    EXPECT_EQ(std::distance(fs::directory_iterator(work()), fs::directory_iterator()), 1);
}

TEST_P(Walls, KeepWritesFromWhatIsOutside) {
    for (const char* mode : {"workspace", "read-only"}) {
        in(mode, "echo x > " + (outside() / "file").string() + "; echo x > " +
                     (outside() / "new").string() + "; chmod 777 " + (outside() / "file").string());
        EXPECT_EQ(read_text(outside() / "file"), "of somebody else\n") << mode;
        EXPECT_FALSE(fs::exists(outside() / "new")) << mode;
        EXPECT_EQ(fs::status(outside() / "file").permissions() & fs::perms::others_write,
                  fs::perms::none);
    }
}

TEST_P(Walls, ShowTheHomeWithoutItsSecretsAndKeepWhatIsWrittenThere) {
    for (const char* mode : {"workspace", "read-only"}) {
        const Ran ran = in(mode,
                           "git config user.name; cat ~/.ssh/id 2>/dev/null; ls ~/.ssh "
                           "2>/dev/null; echo x > ~/.new; cat ~/.new");
        EXPECT_EQ(ran.out, "Somebody\nx\n") << mode << ran.err;
        EXPECT_FALSE(fs::exists(home() / ".new")) << mode;
    }
}

TEST_P(Walls, GiveASecretOnPurpose) {
    const Ran ran = in("workspace", "cat ~/.ssh/id", {"--read", (home() / ".ssh").string()});
    EXPECT_EQ(ran.out, "the secret\n") << ran.err;
}

TEST_P(Walls, KeepScratchForTheSessionOnly) {
    in("workspace", "echo kept > /tmp/a; echo kept > ~/.b", {"--session", "one"});
    EXPECT_EQ(in("workspace", "cat /tmp/a ~/.b", {"--session", "one"}).out, "kept\nkept\n");
    EXPECT_EQ(in("workspace", "cat /tmp/a ~/.b 2>/dev/null", {"--session", "two"}).out, "");
    EXPECT_FALSE(fs::exists("/tmp/a"));
}

TEST_P(Walls, LetASessionServeItself) {
    const std::string server = "python3 -m http.server 8765 --bind 127.0.0.1";
    const Ran started = in("workspace", server, {"--session", "web", "--background"});
    EXPECT_EQ(started.code, 0) << started.err;
    const std::string get =
        "for i in $(seq 100); do curl -s http://localhost:8765/file && break; sleep 0.1; done";
    EXPECT_EQ(in("workspace", get, {"--session", "web"}).out, "of the workspace\n");
    const std::string once = "curl -s -m 2 http://localhost:8765/file";
    EXPECT_EQ(in("workspace", once, {"--session", "other"}).out, "");
    EXPECT_EQ(run_program({"bash", "-c", once}).out, "");
    EXPECT_EQ(in("workspace", "pkill -f '[h]ttp.server' && echo killed", {"--session", "web"}).out,
              "killed\n");
}

TEST_P(Walls, OfAnotherKindAreNotTakenForThese) {
    in("workspace", "true", {"--session", "s"});
    const Ran ran = in("read-only", "echo ran", {"--session", "s"});
    EXPECT_EQ(ran.code, 125);
    EXPECT_NE(ran.err.find("stands with other walls (mode workspace)"), std::string::npos)
        << ran.err;
}

TEST_P(Walls, HideOtherProcessesAndTheirSignals) {
    const pid_t victim = ::fork();
    if (victim == 0) {
        if (GetParam() == Who::OrdinaryUser && ::geteuid() == 0) ::setuid(ordinary_uid);
        ::pause();
        ::_exit(0);
    }
    for (const char* mode : {"workspace", "read-only"}) {
        const Ran ran = in(mode, "kill -9 " + std::to_string(victim) +
                                     " 2>/dev/null; ls /proc | grep -c '^[0-9]'");
        EXPECT_TRUE(ran.out.size() == 2 && ran.out < "9") << mode << ran.out;  // a handful
    }
    EXPECT_EQ(::kill(victim, 0), 0);
    ::kill(victim, SIGKILL);
    EXPECT_EQ(::waitpid(victim, nullptr, 0), victim);
}

TEST_P(Walls, WithholdSecretsOfTheEnvironment) {
    ::setenv("MY_API_TOKEN", "the secret", 1);
    ::setenv("BASH_ENV", "/nonexistent", 1);
    const Ran ran = in("workspace", "env | grep -E 'TOKEN|BASH_ENV|HUSK'");
    const Ran given = in("workspace", "echo $MY_API_TOKEN", {"--env", "MY_API_TOKEN=given"});
    for (const char* name : {"MY_API_TOKEN", "BASH_ENV"}) ::unsetenv(name);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(given.out, "given\n");
}

TEST_P(Walls, KeepVariablesThatOnlyHaveAnEffectInside) {
    constexpr const char* names[] = {"LD_LIBRARY_PATH", "NODE_OPTIONS", "AWS_REGION"};
    for (const char* name : names) ::setenv(name, "/nonexistent", 1);
    const Ran ran = in("workspace", "echo $LD_LIBRARY_PATH $NODE_OPTIONS $AWS_REGION");
    for (const char* name : names) ::unsetenv(name);
    EXPECT_EQ(ran.out, "/nonexistent /nonexistent /nonexistent\n");
}

// A person reads of them only if the command failed.
TEST_P(Walls, TellOncePerSessionWhichVariablesTheyDrop) {
    ::setenv("MY_API_TOKEN", "the secret", 1);
    const std::vector<std::string> session = {"--session", "s", "--json"};
    const nlohmann::json first = in("workspace", "true", session).json();
    const nlohmann::json second = in("workspace", "true", session).json();
    const Ran fine = in("workspace", "true");
    const Ran failed = in("workspace", "false");
    ::unsetenv("MY_API_TOKEN");
    EXPECT_THAT(first["notes"].dump(), testing::HasSubstr("MY_API_TOKEN"));
    EXPECT_THAT(first["notes"].dump(), testing::HasSubstr("environment.pass"));
    EXPECT_THAT(first.dump(), testing::Not(testing::HasSubstr("the secret")));
    EXPECT_THAT(second["notes"].dump(), testing::Not(testing::HasSubstr("MY_API_TOKEN")));
    EXPECT_EQ(fine.err, "");
    EXPECT_THAT(failed.err, testing::HasSubstr("MY_API_TOKEN"));
}

TEST_P(Walls, ProtectWhatOthersTrust) {
    ASSERT_EQ(in("workspace", "git init -q . && git add file && git commit -qm one").code, 0);
    write(work() / "memo" / "note", "kept\n");
    write(work() / "husk.yaml", "rules: []\n");
    write(work() / ".vscode" / "tasks.json", "{}\n");
    const std::string config = read_text(work() / ".git" / "config");
    in("workspace",
       "echo x > .git/hooks/pre-commit; git config core.pager evil; mv .git g; rm -rf .git/hooks; "
       "echo x > husk.yaml; mv husk.yaml y; echo x > .vscode/tasks.json; mv .vscode v; "
       "echo x > memo/note; mv memo m; echo x > memo/new",
       {"--protect", (work() / "memo" / "**").string()});
    EXPECT_FALSE(fs::exists(work() / ".git" / "hooks" / "pre-commit"));
    EXPECT_EQ(read_text(work() / ".git" / "config"), config);
    EXPECT_EQ(read_text(work() / "husk.yaml"), "rules: []\n");
    EXPECT_EQ(read_text(work() / ".vscode" / "tasks.json"), "{}\n");
    EXPECT_EQ(read_text(work() / "memo" / "note"), "kept\n");
    EXPECT_FALSE(fs::exists(work() / "memo" / "new"));
    EXPECT_EQ(
        in("workspace", "echo more >> file; git commit -qam two && git log --oneline | wc -l").out,
        "2\n");
}

TEST_P(Walls, LetAWorktreeBeCommittedTo) {
    const std::string repository = (outside() / "repository").string();
    const std::string make = "git init -q " + repository + " && cd " + repository +
                             " && git commit -q --allow-empty -m one && git worktree add -q " +
                             (work() / "tree").string();
    ASSERT_EQ(in("open", make).code, 0);
    const Ran ran = in("workspace",
                       "echo x > y && git add y && git commit -qm two && git log --oneline | wc -l",
                       {}, (work() / "tree").string());
    EXPECT_EQ(ran.out, "2\n") << ran.err;
    in("workspace",
       "echo x > " + repository + "/.git/hooks/post-commit; echo x > " + repository + "/new", {},
       (work() / "tree").string());
    EXPECT_FALSE(fs::exists(repository + "/.git/hooks/post-commit"));
    EXPECT_FALSE(fs::exists(repository + "/new"));
}

TEST_P(Walls, AreToldInTheReport) {
    const nlohmann::json walls = report_in("workspace", "true")["confinement"];
    EXPECT_EQ(walls["mode"], "workspace");
    EXPECT_EQ(walls["network"], "own loopback only");
    EXPECT_EQ(walls["signals"], "own session only");
    EXPECT_TRUE(walls["missing"].empty());
}

TEST_P(Walls, LeaveNoCapabilitiesAndNoNewPrivileges) {
    const Ran ran =
        in("read-only",
           "grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr -d '\\t\\n'");
    EXPECT_EQ(ran.out, "CapEff:0000000000000000CapBnd:0000000000000000NoNewPrivs:1Seccomp:2");
}

TEST_P(Walls, RefuseAWorkspaceThatWouldGiveEverythingAway) {
    for (const fs::path& wide : {fs::path("/"), home(), home().parent_path()}) {
        const Ran ran = in("workspace", "echo ran", {}, wide.string());
        EXPECT_EQ(ran.code, 125) << wide;
        EXPECT_EQ(ran.out, "") << wide;
    }
}

TEST_P(Walls, EndAWholeTreeLikeAnyOther) {
    const nlohmann::json report = in("workspace", "setsid sleep 300 & setsid sleep 300 & sleep 300",
                                     {"--json", "--timeout", "300ms", "--patience", "100ms"})
                                      .json();
    EXPECT_EQ(report["status"], "timed_out");
    EXPECT_TRUE(report["leftovers"].empty()) << report;
}

// In read-only a workspace may hold the state: it is withheld there, or else refused.
TEST_P(Walls, KeepTheStateOutOfAWorkspaceThatHoldsIt) {
    ASSERT_EQ(in("workspace", "true").code, 0);  // so that there is an audit
    const Ran below_tmp = in("read-only", "cat state/audit/*", {}, husk().dir().string());
    EXPECT_EQ(below_tmp.code, 125);
    EXPECT_THAT(below_tmp.err, testing::HasSubstr("holds the state of Husk itself"));
    // In no private place.
    const TempDir place(::access("/opt", W_OK) == 0 ? fs::path("/opt")
                                                    : fs::path(HUSK_BINARY).parent_path());
    const std::string state = (place.path() / "state").string();
    ASSERT_EQ(::chmod(place.path().c_str(), 0777), 0);
    write_text(place.path() / "note", "mine\n");
    const Ran ran = in("read-only", "cat note; cat state/audit/* 2>/dev/null", {"--state", state},
                       place.path().string());
    EXPECT_EQ(ran.out, "mine\n");
    EXPECT_NE(ran.code, 0);
}

TEST_P(Walls, LetALogBeReadAndNothingElseOfTheState) {
    const std::string state = husk().state().string();
    const nlohmann::json first = in("workspace", "echo first", {"--json", "--session", "s"}).json();
    const std::string log = first.at("excerpt").at("log");
    const Ran ran = in("workspace", "cat " + log + "; ls -A " + state + "; echo x > " + log,
                       {"--session", "s"});
    EXPECT_EQ(ran.out.substr(0, 6), "first\n") << ran.err;
    EXPECT_NE(ran.out.find("Read-only file system"), std::string::npos) << ran.out;
}

// degraded_test.cc has what machines can be like.
TEST_P(Walls, OfAPretenceThatIsNotUnderstoodMeanNotStarted) {
    const Ran closed = pretending("nonsense=1", "workspace", "echo ran");
    EXPECT_EQ(closed.code, 125);
    EXPECT_EQ(closed.out, "");
}

TEST_P(Walls, AsWideAsAHomeAreBuiltOnlyByForce) {
    write(home() / "note", "old\n");
    const Ran ran =
        in("workspace",
           "echo new > note; cat note; echo x > " + (outside() / "file").string() + "; echo $HOME",
           {"--force"}, home().string());
    EXPECT_EQ(ran.out.substr(0, 4), "new\n") << ran.err;
    EXPECT_EQ(read_text(home() / "note"), "new\n");
    EXPECT_EQ(read_text(outside() / "file"), "of somebody else\n");
}

TEST_P(Walls, AsWideAsEverythingKeepTheStateOfHusk) {
    const fs::path log = husk().state() / "sessions";
    const Ran ran = in("workspace",
                       "echo new > " + (outside() / "file").string() + "; echo x > " +
                           (husk().state() / "new").string() + "; rm -rf " + log.string() +
                           "; test -w /proc/sys/kernel/core_pattern || echo kept",
                       {"--force", "--write", outside().string()}, "/");
    EXPECT_NE(ran.out.find("kept\n"), std::string::npos) << ran.out << ran.err;
    EXPECT_EQ(read_text(outside() / "file"), "new\n");
    EXPECT_FALSE(fs::exists(husk().state() / "new"));
    EXPECT_TRUE(fs::exists(log));
}

TEST_P(Walls, OfModeOpenAreOnlyWhatIsProtected) {
    write(work() / "memo" / "note", "kept\n");
    const std::vector<std::string> protect = {"--protect", (work() / "memo" / "**").string(),
                                              "--json"};
    const auto report = in("open",
                           "echo x > memo/note; rm memo/note; echo x > memo/new; echo x > file; "
                           "echo x >> " +
                               (outside() / "file").string() + "; cat ~/.ssh/id",
                           protect)
                            .json();
    EXPECT_EQ(report["confinement"]["files"], "open, but for what is protected") << report;
    EXPECT_TRUE(report["confinement"]["missing"].empty());
    EXPECT_NE(report["output"].get<std::string>().find("the secret"), std::string::npos);
    EXPECT_EQ(read_text(work() / "memo" / "note"), "kept\n");
    EXPECT_FALSE(fs::exists(work() / "memo" / "new"));
    EXPECT_EQ(read_text(work() / "file"), "x\n");
    EXPECT_EQ(read_text(outside() / "file"), "of somebody else\nx\n");
    // Where that cannot be had, the report says so.
    const auto without = pretending("mountns=no", "open", "true", protect).json();
    EXPECT_EQ(without["confinement"]["missing"], nlohmann::json({"protected-paths"})) << without;
}

TEST_P(Walls, OfModeOpenAreRenewedWhenAFileIsReplacedFromOutside) {
    write(work() / "memo", "first\n");
    const std::vector<std::string> protect = {"--protect", (work() / "memo").string(), "--session",
                                              "s"};
    const auto spoil = [&] { return in("open", "echo spoiled > memo; true", protect); };
    EXPECT_EQ(spoil().code, 0);
    EXPECT_EQ(read_text(work() / "memo"), "first\n");
    for (const char* text : {"second\n", "third\n"}) {
        write(work() / "new", text);
        fs::rename(work() / "new", work() / "memo");
        const Ran ran = spoil();
        EXPECT_EQ(ran.code, 0) << ran.err;
        EXPECT_EQ(read_text(work() / "memo"), text);
    }
    // Nobody who renews it is in the way of a session that ends.
    const Ran shell =
        in("open", "sleep 300",
           {"--background", "--protect", (work() / "memo").string(), "--session", "s"});
    EXPECT_EQ(shell.code, 0) << shell.err;
    EXPECT_EQ(husk()({"session", "end", "s"}).code, 0);
    EXPECT_TRUE(eventually([&] { return nursery_of(husk()) == 0; }));
}

TEST_P(Walls, TakeAwayProtectedNamesThatTheCommandMade) {
    const nlohmann::json report =
        report_in("workspace",
                  "mkdir .vscode; echo x > .vscode/tasks.json; echo x > .mcp.json; "
                  "ln -s / .idea; echo kept > other");
    EXPECT_EQ(report["reverted"].size(), 3U) << report;
    for (const char* name : {".vscode", ".mcp.json", ".idea"})
        EXPECT_FALSE(fs::exists(fs::symlink_status(work() / name))) << name;
    EXPECT_EQ(read_text(work() / "other"), "kept\n");
    EXPECT_TRUE(fs::exists(outside() / "file"));
}

// A server of the machine's loopback, which only the proxy can reach. It tells its port.
constexpr const char* host_server =
    "exec python3 -u -c 'import http.server as s\n"
    "h = s.ThreadingHTTPServer((\"127.0.0.1\", 0), s.SimpleHTTPRequestHandler)\n"
    "print(h.server_port)\nh.serve_forever()' 2>/dev/null";

TEST_P(Walls, LetListedHostsBeReachedWithTheProxyOrWithout) {
    Live server(husk(), {"run", "--cwd", outside().string(), "--", host_server});
    const auto port = server.line();
    ASSERT_TRUE(port);
    const std::string listed = "http://localhost:" + *port + "/file";
    const auto report = report_in("workspace",
                                  "curl -s -m 20 --noproxy '' " + listed +
                                      "; curl -s -m 5 --noproxy '*' " + listed +
                                      "; curl -s -m 5 --noproxy '*' http://localhost:1/ || echo no "
                                      "other way; curl -s -m 20 --noproxy '' "
                                      "http://example.invalid/",
                                  {"--network", "localhost:" + *port});
    const std::string output = report["output"];
    EXPECT_TRUE(output.starts_with("of somebody else\nof somebody else\nno other way\n")) << report;
    EXPECT_NE(output.find("example.invalid"), std::string::npos)
        << "the proxy says why: " << output;
    // What the proxy refused is told like what any other wall stops.
    ASSERT_EQ(report["denials"].size(), 1U) << report;
    const auto& denial = report["denials"][0];
    EXPECT_EQ(denial["operation"], "connect");
    EXPECT_EQ(denial["target"], "example.invalid:80");
    EXPECT_NE(denial["allow_with"].get<std::string>().find("example.invalid"), std::string::npos);
}

TEST_P(Walls, LetTheProxyLeadToAListedAddress) {
    Live server(husk(), {"run", "--cwd", outside().string(), "--", host_server});
    const auto port = server.line();
    ASSERT_TRUE(port);
    const std::string url = " http://127.0.0.1:" + *port + "/file";
    const std::vector<std::string> listed = {"--network", "127.0.0.1:" + *port};
    EXPECT_EQ(in("workspace", "curl -s -m 9 --noproxy ''" + url, listed).out, "of somebody else\n");
    EXPECT_EQ(in("workspace", "curl -s -m 9 --noproxy '*'" + url + " || echo no way", listed).out,
              "no way\n");
    const std::vector<std::string> other = {"--network", "127.0.0.1:1"};
    EXPECT_EQ(
        in("workspace", "curl -s -m 9 -o /dev/null -w '%{http_code}' --noproxy ''" + url, other)
            .out,
        "403");
    EXPECT_EQ(in("workspace", "curl -s -m 9 --noproxy ''" + url + " || echo no way").out,
              "no way\n");
}

// A descriptor would be a way to the file past the walls.
TEST_P(Walls, LetNothingInThroughStandardInput) {
    const Ran directory = in("workspace", "echo ran", {"--stdin", outside().string()});
    EXPECT_EQ(directory.code, 125) << directory.out;
    const std::vector<std::string> file = {"--stdin", (outside() / "file").string()};
    EXPECT_EQ(in("workspace", "cat; : > /proc/self/fd/0", file).out.substr(0, 16),
              "of somebody else");
    const Ran old = pretending("landlock=2", "workspace", "cat; : > /proc/self/fd/0", file);
    EXPECT_EQ(old.out.substr(0, 16), "of somebody else") << old.err;
    EXPECT_EQ(read_text(outside() / "file"), "of somebody else\n");
}

// Whoever can read a file can lock it, and a session can read its logs; those of the next calls
// are made ahead.
TEST(WallsInProcess, LetNoCommandStandInForAKeeper) {
    const Husk husk;
    const fs::path work = husk.dir() / "work";
    fs::create_directory(work);
    Bash bash(husk.settings());
    const ToolContext context = {.working_dir = work, .mode = Mode::Workspace};
    const Report first = bash.run({.command = "true"}, context);
    ASSERT_EQ(exit_code(first.ending), 0);
    write_text(work / "lock.py",
               "import fcntl, glob\n"
               "held = {}\n"
               "while True:\n"
               "    for path in glob.glob('" +
                   fs::path(first.excerpt.log).parent_path().string() +
                   "/*'):\n"
                   "        if path not in held:\n"
                   "            held[path] = open(path)\n"
                   "            fcntl.lockf(held[path], fcntl.LOCK_SH | fcntl.LOCK_NB)\n"
                   "    open('locked', 'w').close()\n");
    const Report locker =
        bash.run({.command = "exec python3 lock.py", .background = true}, context);
    ASSERT_TRUE(eventually([&] { return fs::exists(work / "locked"); }));
    for (int i = 0; i < 8; ++i) {
        const Report report = bash.run({.command = "echo ran"}, context);
        EXPECT_EQ(exit_code(report.ending), 0) << i;
        EXPECT_EQ(report.output, "ran\n") << i;
    }
    Shells(husk.settings()).kill(locker.shell_id);
}

INSTANTIATE_TEST_SUITE_P(, Walls, both(), who_name);

}  // namespace
}  // namespace husk::test
