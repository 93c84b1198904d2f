// What a closed mode keeps in, and what it lets through, seen by somebody who works there.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include "harness.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void write_text(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

// A workspace, a home with a secret in it, and something outside of both.
class Walls : public testing::TestWithParam<Who> {
protected:
    Walls() : husk_(GetParam()) {
        write_text(work_ / "file", "of the workspace\n");
        write_text(home_ / ".gitconfig", "[user]\n\tname = Somebody\n\temail = s@example.org\n");
        write_text(home_ / ".ssh" / "id", "the secret\n");
        write_text(outside_ / "file", "of somebody else\n");
        const uid_t uid =
            GetParam() == Who::OrdinaryUser && ::geteuid() == 0 ? ordinary_uid : ::geteuid();
        for (const auto& entry : fs::recursive_directory_iterator(husk_.dir()))
            ::lchown(entry.path().c_str(), uid, uid);
    }

    Ran in(const std::string& mode, const std::string& command,
           std::vector<std::string> options = {}, const std::string& cwd = "") const {
        std::vector<std::string> words = husk_.argv({"run", "--mode", mode, "--checks", "off",
                                                     "--cwd", cwd.empty() ? work_.string() : cwd});
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"--", command});
        const auto program = std::find(words.begin(), words.end(), HUSK_BINARY);
        words.insert(program, "HOME=" + home_.string());
        return run_program(words);
    }
    nlohmann::json report_in(const std::string& mode, const std::string& command) const {
        return in(mode, command, {"--json"}).json();
    }

    Husk husk_;
    fs::path work_ = husk_.dir() / "work";
    fs::path home_ = husk_.dir() / "home";
    fs::path outside_ = husk_.dir() / "outside";
};

TEST_P(Walls, OfWorkspaceLetWorkBeDone) {
    const Ran ran =
        in("workspace", "cat file && echo new > made && mkdir d && mv made d/ && cat d/made");
    EXPECT_EQ(ran.out, "of the workspace\nnew\n") << ran.err;
    EXPECT_EQ(text_of(work_ / "d" / "made"), "new\n");
}

TEST_P(Walls, OfReadOnlyLetNothingBeChanged) {
    const Ran ran = in("read-only",
                       "cat file; { echo x > file; echo y > made; rm -f file; chmod 777 file; "
                       "touch -d 2001-01-01 file; ln file hard; mkdir d; } 2>/dev/null; echo done");
    EXPECT_EQ(ran.out, "of the workspace\ndone\n") << ran.err;
    EXPECT_EQ(text_of(work_ / "file"), "of the workspace\n");
    EXPECT_EQ(std::distance(fs::directory_iterator(work_), fs::directory_iterator()), 1);
}

TEST_P(Walls, KeepWritesFromWhatIsOutside) {
    for (const char* mode : {"workspace", "read-only"}) {
        in(mode, "echo x > " + (outside_ / "file").string() + "; echo x > " +
                     (outside_ / "new").string() + "; chmod 777 " + (outside_ / "file").string());
        EXPECT_EQ(text_of(outside_ / "file"), "of somebody else\n") << mode;
        EXPECT_FALSE(fs::exists(outside_ / "new")) << mode;
        EXPECT_EQ(fs::status(outside_ / "file").permissions() & fs::perms::others_write,
                  fs::perms::none);
    }
}

TEST_P(Walls, ShowTheHomeWithoutItsSecretsAndKeepWhatIsWrittenThere) {
    for (const char* mode : {"workspace", "read-only"}) {
        const Ran ran = in(mode,
                           "git config user.name; cat ~/.ssh/id 2>/dev/null; ls ~/.ssh "
                           "2>/dev/null; echo x > ~/new; cat ~/new");
        EXPECT_EQ(ran.out, "Somebody\nx\n") << mode << ran.err;
        EXPECT_FALSE(fs::exists(home_ / "new")) << mode;
    }
}

TEST_P(Walls, GiveASecretOnPurpose) {
    const Ran ran = in("workspace", "cat ~/.ssh/id", {"--read", (home_ / ".ssh").string()});
    EXPECT_EQ(ran.out, "the secret\n") << ran.err;
}

TEST_P(Walls, KeepScratchForTheSessionOnly) {
    in("workspace", "echo kept > /tmp/a; echo kept > ~/b", {"--session", "one"});
    EXPECT_EQ(in("workspace", "cat /tmp/a ~/b", {"--session", "one"}).out, "kept\nkept\n");
    EXPECT_EQ(in("workspace", "cat /tmp/a ~/b 2>/dev/null", {"--session", "two"}).out, "");
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
    ::setenv("LD_LIBRARY_PATH", "/nonexistent", 1);
    const Ran ran = in("workspace", "env | grep -E 'TOKEN|BASH_ENV|LD_|HUSK'");
    const Ran given = in("workspace", "echo $MY_API_TOKEN", {"--env", "MY_API_TOKEN=given"});
    for (const char* name : {"MY_API_TOKEN", "BASH_ENV", "LD_LIBRARY_PATH"}) ::unsetenv(name);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(given.out, "given\n");
}

TEST_P(Walls, ProtectWhatOthersTrust) {
    ASSERT_EQ(in("workspace", "git init -q . && git add file && git commit -qm one").code, 0);
    fs::create_directories(work_ / "memo");
    write_text(work_ / "memo" / "note", "kept\n");
    write_text(work_ / "husk.yaml", "rules: []\n");
    write_text(work_ / ".vscode" / "tasks.json", "{}\n");
    const std::string config = text_of(work_ / ".git" / "config");
    in("workspace",
       "echo x > .git/hooks/pre-commit; git config core.pager evil; mv .git g; rm -rf .git/hooks; "
       "echo x > husk.yaml; mv husk.yaml y; echo x > .vscode/tasks.json; mv .vscode v; "
       "echo x > memo/note; mv memo m; echo x > memo/new",
       {"--protect", (work_ / "memo" / "**").string()});
    EXPECT_FALSE(fs::exists(work_ / ".git" / "hooks" / "pre-commit"));
    EXPECT_EQ(text_of(work_ / ".git" / "config"), config);
    EXPECT_EQ(text_of(work_ / "husk.yaml"), "rules: []\n");
    EXPECT_EQ(text_of(work_ / ".vscode" / "tasks.json"), "{}\n");
    EXPECT_EQ(text_of(work_ / "memo" / "note"), "kept\n");
    EXPECT_FALSE(fs::exists(work_ / "memo" / "new"));
    EXPECT_EQ(
        in("workspace", "echo more >> file; git commit -qam two && git log --oneline | wc -l").out,
        "2\n");
}

TEST_P(Walls, LetAWorktreeBeCommittedTo) {
    const std::string repository = (outside_ / "repository").string();
    const std::string make = "git init -q " + repository + " && cd " + repository +
                             " && git commit -q --allow-empty -m one && git worktree add -q " +
                             (work_ / "tree").string();
    ASSERT_EQ(in("open", make).code, 0);
    const Ran ran = in("workspace",
                       "echo x > y && git add y && git commit -qm two && git log --oneline | wc -l",
                       {}, (work_ / "tree").string());
    EXPECT_EQ(ran.out, "2\n") << ran.err;
    in("workspace",
       "echo x > " + repository + "/.git/hooks/post-commit; echo x > " + repository + "/new", {},
       (work_ / "tree").string());
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
    for (const fs::path& wide : {fs::path("/"), home_, home_.parent_path()}) {
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

TEST_P(Walls, LetALogBeReadAndNothingElseOfTheState) {
    const std::string state = husk_.state().string();
    const nlohmann::json first = in("workspace", "echo first", {"--json", "--session", "s"}).json();
    const std::string log = first.at("excerpt").at("log");
    const Ran ran = in("workspace", "cat " + log + "; ls -A " + state + "; echo x > " + log,
                       {"--session", "s"});
    EXPECT_EQ(ran.out.substr(0, 6), "first\n") << ran.err;
    EXPECT_NE(ran.out.find("Read-only file system"), std::string::npos) << ran.out;
}

// Nothing is run behind fewer walls than were asked for: every machine that lacks one refuses.
TEST_P(Walls, ThatCannotBeBuiltMeanNotStarted) {
    for (const char* without : {"landlock=no", "landlock=1", "seccomp=no", "mountns=no", "pidns=no",
                                "netns=no", "os=other", "nonsense=1"}) {
        ::setenv("HUSK_PRETEND", without, 1);
        const Ran closed = in("workspace", "echo ran");
        const Ran open = in("open", "echo ran");
        ::unsetenv("HUSK_PRETEND");
        EXPECT_EQ(closed.code, 125) << without;
        EXPECT_EQ(closed.out, "") << without;
        EXPECT_EQ(open.out, "ran\n") << without;
    }
}

TEST_P(Walls, TakeAwayProtectedNamesThatTheCommandMade) {
    const nlohmann::json report =
        report_in("workspace",
                  "mkdir .vscode; echo x > .vscode/tasks.json; echo x > .mcp.json; "
                  "ln -s / .idea; echo kept > other");
    EXPECT_EQ(report["reverted"].size(), 3U) << report;
    for (const char* name : {".vscode", ".mcp.json", ".idea"})
        EXPECT_FALSE(fs::exists(fs::symlink_status(work_ / name))) << name;
    EXPECT_EQ(text_of(work_ / "other"), "kept\n");
    EXPECT_TRUE(fs::exists(outside_ / "file"));
}

TEST_P(Walls, LetListedHostsBeReachedByTheProxyOnly) {
    const Ran refused =
        in("workspace", "curl -s -m 5 http://example.invalid/; echo; env | grep -c _proxy",
           {"--network", "example.org"});
    EXPECT_NE(refused.out.find("example.invalid"), std::string::npos) << refused.out << refused.err;
    EXPECT_NE(refused.out.find("network"), std::string::npos) << refused.out;
}

// What lies outside is on a mount that the session does not have read-only.
TEST_P(Walls, LetNothingInThroughStandardInput) {
    const Ran directory = in("workspace", "echo ran", {"--stdin", outside_.string()});
    EXPECT_EQ(directory.code, 125) << directory.out;
    const std::vector<std::string> file = {"--stdin", (outside_ / "file").string()};
    EXPECT_EQ(in("workspace", "cat; : > /proc/self/fd/0", file).out.substr(0, 16),
              "of somebody else");
    EXPECT_EQ(text_of(outside_ / "file"), "of somebody else\n");
    ::setenv("HUSK_PRETEND", "landlock=2", 1);
    const Ran old = in("workspace", "echo ran", file);
    const Ran work = in("workspace", "cat file");
    ::unsetenv("HUSK_PRETEND");
    EXPECT_EQ(old.code, 125) << old.out;
    EXPECT_NE(old.err.find("--stdin-text"), std::string::npos) << old.err;
    EXPECT_EQ(work.out, "of the workspace\n") << work.err;
}

INSTANTIATE_TEST_SUITE_P(, Walls, testing::Values(Who::Caller, Who::OrdinaryUser),
                         [](const auto& who) {
                             return who.param == Who::Caller ? "Caller" : "OrdinaryUser";
                         });

}  // namespace
}  // namespace husk::test
