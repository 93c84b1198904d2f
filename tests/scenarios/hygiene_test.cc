// What a command finds when it starts: the same, however careless its caller is.
#include <fcntl.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "harness.h"

namespace husk::test {
namespace {

namespace fs = std::filesystem;

class Hygiene : public testing::TestWithParam<Who> {
protected:
    Hygiene() : husk_(GetParam()) {}

    std::string run(const std::string& command, std::vector<std::string> options = {}) const {
        options.insert(options.begin(), "run");
        options.insert(options.end(), {"--", command});
        const Ran ran = husk_(options);
        EXPECT_EQ(ran.err, "");
        return ran.out;
    }
    // The same from a caller that ignores and blocks signals and leaks descriptors.
    std::string run_rudely(const std::string& command) const {
        std::vector<std::string> words = husk_.argv({"run", "--", command});
        words.insert(words.begin(), program("rude"));
        const Ran ran = run_program(words);
        EXPECT_EQ(ran.code, 0) << ran.err;
        return ran.out;
    }

    Husk husk_;
};
INSTANTIATE_TEST_SUITE_P(, Hygiene, both(), who_name);

TEST_P(Hygiene, StandardInputIsAtItsEnd) {
    EXPECT_EQ(husk_({"run", "--", "cat; echo end"}, "not for the command\n").out, "end\n");
}

TEST_P(Hygiene, StandardInputCanBeAText) {
    EXPECT_EQ(run("cat; read -r nothing || echo end", {"--stdin-text", "a\nb"}), "a\nbend\n");
}

TEST_P(Hygiene, StandardInputCanBeAFile) {
    const fs::path file = husk_.dir() / "input";
    write_text(file, "from the file\n");
    EXPECT_EQ(run("cat; cat", {"--stdin", file.string()}), "from the file\n");
    const Ran missing = husk_({"run", "--stdin", (husk_.dir() / "none").string(), "--", "cat"});
    EXPECT_TRUE(is_refusal(missing));
    EXPECT_NE(missing.err.find("none"), std::string::npos) << missing.err;
}

TEST_P(Hygiene, StandardInputCanBeHusksOwn) {
    EXPECT_EQ(husk_({"run", "--stdin", "-", "--", "tr a-z A-Z"}, "piped\n").out, "PIPED\n");
}

TEST_P(Hygiene, OneCommandDoesNotEatTheInputOfTheNext) {
    const Ran ran = husk_.script(
        "printf 'one\\ntwo\\n' | while read -r line; do "
        "\"$HUSK\" run --mode open -- \"cat; echo got $line\"; done");
    EXPECT_EQ(ran.out, "got one\ngot two\n");
}

TEST_P(Hygiene, ThereAreExactlyThreeDescriptors) {
    const auto listed = lines_of(run_rudely(program("descriptors")));
    ASSERT_EQ(listed.size(), 3U) << testing::PrintToString(listed);
    EXPECT_EQ(listed[0], "0 /dev/null");
    EXPECT_TRUE(listed[1].starts_with("1 pipe:")) << listed[1];
    EXPECT_EQ(listed[2].substr(2), listed[1].substr(2));
    const auto split = lines_of(run(program("descriptors"), {"--streams", "split"}));
    ASSERT_EQ(split.size(), 3U);
    EXPECT_NE(split[2].substr(2), split[1].substr(2));
}

TEST_P(Hygiene, NoSignalIsBlockedOrIgnored) {
    const std::string none = "0000000000000000";
    const std::string wanted = "SigBlk:\t" + none + "\nSigIgn:\t" + none + "\n";
    EXPECT_EQ(run("exec grep -E '^Sig(Blk|Ign)' /proc/self/status"), wanted);
    EXPECT_EQ(run_rudely("exec grep -E '^Sig(Blk|Ign)' /proc/self/status"), wanted);
}

TEST_P(Hygiene, ABrokenPipeEndsTheWriter) {
    EXPECT_EQ(run_rudely("set -o pipefail; yes | head -1; echo $?"), "y\n141\n");
}

TEST_P(Hygiene, TheCommandLeadsAGroupAndASessionOfItsOwn) {
    const auto report = husk_.report("set -- $(cat /proc/$$/stat); echo $$ $5 $6");
    const std::string pid = std::to_string(report["pid"].get<int>());
    EXPECT_EQ(report["output"], pid + " " + pid + " " + pid + "\n");
}

TEST_P(Hygiene, ThereIsNoTerminalEvenIfHuskHasOne) {
    const fs::path result = husk_.dir() / "result";
    std::vector<std::string> words =
        husk_.argv({"run", "--stdin", "-", "--",
                    "{ tty -s <&1; echo $?; (: </dev/tty) 2>/dev/null || echo no; ps -o "
                    "tty= -p $$; } >" +
                        result.string()});
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int terminal = -1;
    const pid_t pid = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (pid == 0) {
        ::execvp(argv[0], argv.data());
        ::_exit(127);
    }
    EXPECT_EQ(exit_code_of(pid), 0);
    ::close(terminal);
    EXPECT_EQ(read_text(result), "1\nno\n?\n");
}

TEST_P(Hygiene, TheUmaskIsTheCallers) {
    EXPECT_EQ(husk_.script("umask 0027; \"$HUSK\" run --mode open -- umask").out, "0027\n");
    EXPECT_EQ(husk_.script("umask 0; \"$HUSK\" run --mode open -- umask").out, "0000\n");
}

TEST_P(Hygiene, LimitsAreTheSameWhateverTheCallerAllowsItself) {
    EXPECT_EQ(run("ulimit -Sc; ulimit -Hc"), "0\n0\n");
    rlimit files{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
    const std::string count = std::to_string(std::min<rlim_t>(files.rlim_max, 4096));
    const std::string most = std::to_string(std::min<rlim_t>(files.rlim_max, 65536));
    EXPECT_EQ(run("ulimit -Sn; ulimit -Hn"), count + "\n" + most + "\n");
    EXPECT_EQ(husk_.script("ulimit -Sn 256; \"$HUSK\" run --mode open -- 'ulimit -Sn'").out,
              count + "\n");
    EXPECT_EQ(husk_.script("ulimit -n 512; \"$HUSK\" run --mode open -- 'ulimit -Sn'").out,
              "512\n");
}

TEST_P(Hygiene, TheWorkingDirectoryIsTheCallersUnlessGiven) {
    EXPECT_EQ(husk_.script("cd /usr/lib; \"$HUSK\" run --mode open -- 'pwd; echo $PWD'").out,
              "/usr/lib\n/usr/lib\n");
    EXPECT_EQ(husk_.script("cd /usr; \"$HUSK\" run --mode open --cwd lib -- pwd").out,
              "/usr/lib\n");
    EXPECT_EQ(run("pwd; echo \"[$OLDPWD]\"", {"--cwd", "/usr"}), "/usr\n[]\n");
    const Ran missing = husk_({"run", "--cwd", "/nowhere", "--", "pwd"});
    EXPECT_TRUE(is_refusal(missing));
    EXPECT_NE(missing.err.find("/nowhere"), std::string::npos) << missing.err;
}

TEST_P(Hygiene, ALinkToTheWorkingDirectoryKeepsItsName) {
    const fs::path real = husk_.dir() / "real";
    const fs::path link = husk_.dir() / "link";
    fs::create_directory(real);
    fs::create_directory_symlink(real, link);
    EXPECT_EQ(run("pwd; pwd -P", {"--cwd", link.string()}),
              link.string() + "\n" + real.string() + "\n");
    EXPECT_EQ(
        husk_.script("cd " + link.string() + "; \"$HUSK\" run --mode open -- 'pwd; pwd -P'").out,
        link.string() + "\n" + real.string() + "\n");
    // A PWD that lies is not believed.
    EXPECT_EQ(husk_.script("cd /usr; PWD=/var; export PWD; \"$HUSK\" run --mode open -- pwd").out,
              "/usr\n");
}

TEST_P(Hygiene, VariablesAreTheCallersPlusWhatIsSetAndMinusWhatIsUnset) {
    EXPECT_EQ(
        husk_
            .script(
                "export KEPT=kept GONE=gone CHANGED=old\n"
                "\"$HUSK\" run --mode open --env GONE --env CHANGED=new --env ADDED='a=b c' "
                "--env EMPTY= -- 'echo \"$KEPT ${GONE-unset} $CHANGED $ADDED [${EMPTY-unset}]\"'")
            .out,
        "kept unset new a=b c []\n");
    EXPECT_TRUE(is_refusal(husk_({"run", "--env", "=x", "--", "true"})));
}

TEST_P(Hygiene, NobodyIsThereToAnswerOrToLook) {
    EXPECT_EQ(husk_
                  .script("export TERM=xterm PAGER=less; \"$HUSK\" run --mode open -- 'echo $TERM "
                          "$PAGER $GIT_PAGER "
                          "$GIT_TERMINAL_PROMPT $NO_COLOR $DEBIAN_FRONTEND'")
                  .out,
              "dumb cat cat 0 1 noninteractive\n");
    EXPECT_EQ(run("echo $TERM", {"--env", "TERM=vt100"}), "vt100\n");
}

// A command that kills a keeper sees the next one being born. Whoever opened its memory at that
// moment could read the plans of all later calls, with their variables.
TEST_P(Hygiene, NobodyOpensTheMemoryOfANewKeeper) {
    // In a PID namespace, where no other keepers can be seen.
    const TempDir work;
    ASSERT_EQ(::chmod(work.path().c_str(), 0777), 0);
    EXPECT_EQ(run(R"(python3 - <<'END'
import os, signal, time
own = {os.getpid()}
def parent(pid):
    return int(open(f'/proc/{pid}/stat').read().rsplit(')', 1)[1].split()[1])
pid = os.getpid()
while pid > 1:
    pid = parent(pid)
    own.add(pid)
def keepers():
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            if open(f'/proc/{pid}/comm').read().startswith('husk-keeper') and int(pid) not in own:
                yield int(pid)
        except OSError: pass
opened = kills = 0
end = time.time() + 20
while kills < 60 and opened == 0 and time.time() < end:
    victim = next(keepers(), 0)
    if victim == 0: continue
    newest = max(int(pid) for pid in os.listdir('/proc') if pid.isdigit())
    os.kill(victim, signal.SIGKILL)
    kills += 1
    for i in range(400):
        for pid in range(newest + 1, newest + 4):
            try:
                os.open(f'/proc/{pid}/mem', os.O_RDONLY)
                opened += 1
            except OSError: pass
print(kills > 5, opened)
END
)",
                  {"--mode", "workspace", "--cwd", work.path().string()}),
              "True 0\n");
}

// Of a process that lets itself be looked into, its files in /proc are its user's; of others they
// are root's. So nobody, the command least of all, can read or trace what keeps it.
TEST_P(Hygiene, NobodyLooksIntoKeeperAndNursery) {
    if (GetParam() == Who::Caller && ::geteuid() == 0)
        GTEST_SKIP() << "what root may do does not depend on it";
    const std::string id = husk_.background("sleep 300", {"--mode", "open"});
    const auto owner = [](const std::string& proc) {
        struct stat found{};
        EXPECT_EQ(::stat(proc.c_str(), &found), 0) << proc;
        return found.st_uid;
    };
    const auto line = [](const std::string& proc, const std::string& name) {
        const std::string status = read_text(proc + "/status");
        const size_t at = status.find("\n" + name + ":\t") + name.size() + 3;
        return std::stoi(status.substr(at));
    };
    const int main = husk_.shell(id)["pid"];
    std::string proc = "/proc/" + std::to_string(main);
    EXPECT_EQ(owner(proc + "/environ"), static_cast<uid_t>(line(proc, "Uid")))
        << "the command is its user's";
    for (const char* who : {"keeper", "nursery"}) {
        proc = "/proc/" + std::to_string(line(proc, "PPid"));
        EXPECT_NE(line(proc, "Uid"), 0) << who;
        EXPECT_EQ(owner(proc + "/environ"), 0U) << who;
        const Ran looked = husk_.script("cat " + proc + "/environ >/dev/null");
        EXPECT_NE(looked.code, 0) << who;
    }
    husk_({"kill", id});
}

TEST_P(Hygiene, StartUpFilesAreNotRead) {
    write_text(husk_.dir() / ".bashrc", "echo from bashrc\n");
    write_text(husk_.dir() / ".profile", "echo from profile\n");
    EXPECT_EQ(
        husk_
            .script("export HOME=" + husk_.dir().string() +
                    " SSH_CLIENT='::1 1 1' SHLVL=0; \"$HUSK\" run --mode open -- 'echo clean'")
            .out,
        "clean\n");
}

// What Husk opens first would get the numbers 0, 1 and 2, and what it prints would go there.
TEST_P(Hygiene, ClosedStandardDescriptorsAreNotTakenForFilesOfHusk) {
    husk_({"run", "--", "true"});
    const Ran ran =
        husk_.script("\"$HUSK\" run --mode open --background -- 'sleep 0.5' 0<&- 1>&- 2>&-");
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(read_text(husk_.state() / "ledger").find("husk"), std::string::npos);
    EXPECT_TRUE(husk_.report("true")["notes"].empty());
}

TEST(HygieneInProcess, DescriptorsOfTheEmbeddingProgramDoNotLeakIn) {
    const Husk husk;
    const int leak = ::open("/dev/zero", O_RDONLY);  // NOLINT: without O_CLOEXEC on purpose
    ASSERT_GE(leak, 0);
    Bash bash(husk.settings());
    for (int i = 0; i < 5; ++i) {
        const Report report = bash.run({.command = program("descriptors")});
        EXPECT_EQ(lines_of(report.output).size(), 3U) << report.output;
    }
    ::close(leak);
}

TEST(HygieneInProcess, ADescriptorCanBeTheInput) {
    const Husk husk;
    Bash bash(husk.settings());
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    ASSERT_EQ(::write(ends[1], "through\n", 8), 8);
    ::close(ends[1]);
    EXPECT_EQ(bash.run({.command = "cat", .input = InputDescriptor{ends[0]}}).output, "through\n");
    ::close(ends[0]);
    const Report refused = bash.run({.command = "cat", .input = InputDescriptor{-1}});
    EXPECT_STREQ(status_word(refused.ending), "not_started");
}

}  // namespace
}  // namespace husk::test
