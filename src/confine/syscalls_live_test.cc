// The policy in a real kernel: what calls answer there, and that everyday programs run.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/fs.h>
#include <linux/landlock.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>

#include "confine/sample_policies.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;
using namespace sample;

bool install(const std::vector<sock_filter>& program) {
    sock_fprog filter{static_cast<unsigned short>(program.size()),
                      const_cast<sock_filter*>(program.data())};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

struct Ran {
    int status = 0;
    std::string output;
};

// Runs `work` in a child under the policy, with its output in our hands. It has a minute.
Ran confined(const SyscallPolicy& policy, const std::function<void()>& work) {
    const auto program = os::compile(syscall_policy(policy)).value();
    int ends[2] = {};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(60);
        ::dup2(ends[1], STDOUT_FILENO);
        ::dup2(ends[1], STDERR_FILENO);
        if (!install(program)) ::_exit(125);
        work();
        ::_exit(0);
    }
    ::close(ends[1]);
    Ran ran;
    char part[4096];
    for (ssize_t got = 0; (got = ::read(ends[0], part, sizeof part)) > 0;)
        ran.output.append(part, static_cast<size_t>(got));
    ::close(ends[0]);
    ::waitpid(child, &ran.status, 0);
    return ran;
}

// The errors of calls, made one after another in one child; 0 for success.
struct Attempt {
    const char* says;
    std::function<long()> call;
    int error;
};

void expect_errors(const SyscallPolicy& policy, const std::vector<Attempt>& attempts) {
    const Ran ran = confined(policy, [&attempts] {
        for (const Attempt& one : attempts) {
            errno = 0;
            const int error = one.call() < 0 ? errno : 0;
            if (error != one.error)
                ::dprintf(STDOUT_FILENO, "%s: %s, not %s\n", one.says, ::strerrorname_np(error),
                          ::strerrorname_np(one.error));
        }
    });
    EXPECT_EQ(ran.output, "");
    EXPECT_EQ(ran.status, 0);
}

Attempt socket_call(const char* says, int family, int type, int protocol, int error) {
    return {says, [=] { return ::socket(family, type, protocol); }, error};
}

long pair_that_talks() {
    int pair[2] = {};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    char byte = 'x';
    if (::send(pair[0], &byte, 1, MSG_NOSIGNAL) != 1) return -1;
    return ::recv(pair[1], &byte, 1, 0) == 1 ? 0 : -1;
}

constexpr int mptcp = 262;

TEST(SyscallWalls, RefuseSockets) {
    expect_errors(with(Sockets::None), {socket_call("unix", AF_UNIX, SOCK_STREAM, 0, EPERM),
                                        socket_call("TCP", AF_INET, SOCK_STREAM, 0, EPERM),
                                        socket_call("UDP 6", AF_INET6, SOCK_DGRAM, 0, EPERM),
                                        socket_call("route", AF_NETLINK, SOCK_RAW, 0, EPERM),
                                        socket_call("vsock", AF_VSOCK, SOCK_STREAM, 0, EPERM),
                                        {"a pair", pair_that_talks, 0}});
    expect_errors(with(Sockets::Unix),
                  {socket_call("unix", AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, 0),
                   socket_call("TCP", AF_INET, SOCK_STREAM, 0, EPERM),
                   {"a pair", pair_that_talks, 0}});
    expect_errors(with(Sockets::PrivateNetwork),
                  {socket_call("unix", AF_UNIX, SOCK_STREAM, 0, EPERM),
                   socket_call("TCP", AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0, 0),
                   socket_call("UDP", AF_INET, SOCK_DGRAM, IPPROTO_UDP, 0),
                   socket_call("MPTCP", AF_INET, SOCK_STREAM, mptcp, EPERM),
                   socket_call("raw", AF_INET, SOCK_RAW, IPPROTO_ICMP, EPERM),
                   socket_call("packet", AF_PACKET, SOCK_RAW, 0, EPERM),
                   socket_call("route", AF_NETLINK, SOCK_RAW, 0, 0),
                   socket_call("audit", AF_NETLINK, SOCK_RAW, 9, EPROTONOSUPPORT),
                   {"a pair", pair_that_talks, 0}});
    expect_errors(with(Sockets::Network),
                  {socket_call("unix", AF_UNIX, SOCK_STREAM, 0, 0),
                   socket_call("TCP", AF_INET, SOCK_STREAM, IPPROTO_TCP, 0),
                   socket_call("MPTCP", AF_INET, SOCK_STREAM, mptcp, EPROTONOSUPPORT),
                   socket_call("vsock", AF_VSOCK, SOCK_STREAM, 0, EAFNOSUPPORT),
                   socket_call("route", AF_NETLINK, SOCK_RAW, 0, 0),
                   {"a pair", pair_that_talks, 0}});
}

// The child of a clone that succeeds ends at once.
long raw_clone(uint64_t flags) {
    const long child = ::syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
    if (child == 0) ::_exit(0);
    if (child > 0) ::waitpid(static_cast<pid_t>(child), nullptr, 0);
    return child;
}

TEST(SyscallWalls, RefuseCallsWithTheirErrors) {
    constexpr uint64_t upper_bit = 1ULL << 32U;
    for (const SyscallPolicy& policy : {walled, bare})
        expect_errors(
            policy,
            {
                {"fork", [] { return raw_clone(0); }, 0},
                {"clone NEWUSER", [] { return raw_clone(CLONE_NEWUSER); }, EPERM},
                {"clone NEWNET", [] { return raw_clone(upper_bit | CLONE_NEWNET); }, EPERM},
                {"clone3", [] { return ::syscall(SYS_clone3, nullptr, 0); }, ENOSYS},
                {"unshare NEWUSER", [] { return ::syscall(SYS_unshare, CLONE_NEWUSER); }, EPERM},
                {"unshare FILES", [] { return ::syscall(SYS_unshare, CLONE_FILES); }, 0},
                {"keyctl", [] { return ::syscall(SYS_keyctl, 0, -3, 0); }, ENOSYS},
                {"mount", [] { return ::syscall(SYS_mount, "none", "/", "", 0, ""); }, EPERM},
                {"fsopen", [] { return ::syscall(SYS_fsopen, "tmpfs", 0); }, EPERM},
                {"ptrace", [] { return ::syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0); }, EPERM},
                {"io_uring", [] { return ::syscall(SYS_io_uring_setup, 1, nullptr); }, ENOSYS},
                {"bpf", [] { return ::syscall(SYS_bpf, 0, nullptr, 0); }, EPERM},
                {"TIOCSTI", [] { return ::syscall(SYS_ioctl, 1, TIOCSTI, ""); }, EPERM},
                {"TIOCSTI, rubbish above",
                 [] { return ::syscall(SYS_ioctl, 1, upper_bit | TIOCSTI, ""); }, EPERM},
                {"SNAP_CREATE of Btrfs",
                 [] { return ::syscall(SYS_ioctl, 1, upper_bit | 0x50009401, ""); }, EPERM},
                {"TCGETS of a pipe", [] { return ::syscall(SYS_ioctl, 1, TCGETS, 0); }, ENOTTY},
                {"a newer call", [] { return ::syscall(470); }, ENOSYS},
                {"x32", [] { return ::syscall(0x40000000 + SYS_getpid); }, ENOSYS},
                {"own limits",
                 [] {
                     rlimit limit{};
                     return ::getrlimit(RLIMIT_NOFILE, &limit) + ::setrlimit(RLIMIT_NOFILE, &limit);
                 },
                 0},
                {"Landlock",
                 [] {
                     return ::syscall(SYS_landlock_create_ruleset, nullptr, 0,
                                      LANDLOCK_CREATE_RULESET_VERSION);
                 },
                 0},
                {"a filter inside",
                 [] { return install({BPF_STMT(BPF_RET | BPF_K, os::let_through)}) ? 0 : -1; }, 0},
            });
}

TEST(SyscallWalls, KeepOtherProcessesWithoutAPidNamespace) {
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_CORE, &limit), 0);
    const int nice = ::getpriority(PRIO_PROCESS, 0);
    const auto set_limit = [&limit] {
        return ::prlimit(::getppid(), RLIMIT_CORE, &limit, nullptr);
    };
    const auto get_limit = [&limit] {
        return ::prlimit(::getppid(), RLIMIT_CORE, nullptr, &limit);
    };
    const auto renice = [nice] {
        return ::setpriority(PRIO_PROCESS, static_cast<id_t>(::getppid()), nice);
    };
    expect_errors(
        walled,
        {{"limit", set_limit, EPERM}, {"ask for a limit", get_limit, 0}, {"nice", renice, 0}});
    expect_errors(bare, {{"limit", set_limit, EPERM},
                         {"ask for a limit", get_limit, 0},
                         {"nice", renice, EPERM},
                         {"own nice", [nice] { return ::setpriority(PRIO_PROCESS, 0, nice); }, 0}});
}

#ifdef __x86_64__
// A program that calls the kernel as 32-bit ones do. Where the kernel has no such door, it dies.
TEST(SyscallWalls, KnowNoCallOf32Bits) {
    const Ran ran = confined(walled, [] {
        constexpr long getpid_of_i386 = 20;
        long result = getpid_of_i386;
        asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
        if (result != -ENOSYS) ::dprintf(STDOUT_FILENO, "answered %ld\n", result);
    });
    EXPECT_EQ(ran.output, "");
    EXPECT_TRUE(ran.status == 0 || WTERMSIG(ran.status) == SIGSEGV) << ran.status;
}
#endif

class SyscallWallsAndFiles : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_NE(::mkdtemp(dir.data()), nullptr);
        file = dir + "/file";
        std::ofstream(file) << "text";
    }
    void TearDown() override { fs::remove_all(dir); }

    Attempt change_mode(int error) {
        return {"chmod", [this] { return ::chmod(file.c_str(), 0600); }, error};
    }
    Attempt open_it(int flags, int error) {
        return {"open", [this, flags] { return ::open(file.c_str(), flags | O_CLOEXEC); }, error};
    }

    std::string dir = (fs::temp_directory_path() / "husk-syscalls-XXXXXX").string();
    std::string file;
};

TEST_F(SyscallWallsAndFiles, KeepMetadata) {
    expect_errors(walled, {change_mode(0)});
    expect_errors(bare, {change_mode(EROFS)});
}

// Cloning is refused only by file systems that cannot do it.
TEST_F(SyscallWallsAndFiles, LetThemBeCloned) {
    const int from = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    const int to = ::open((dir + "/copy").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const auto clone = [from, to] { return ::ioctl(to, FICLONE, from); };
    const int without_walls = clone() == 0 ? 0 : errno;
    for (const SyscallPolicy& policy : {walled, bare})
        expect_errors(policy, {{"FICLONE", clone, without_walls}});
    ::close(from);
    ::close(to);
}

TEST_F(SyscallWallsAndFiles, KeepThemFromBeingEmptied) {
    expect_errors(bare, {{"truncate", [this] { return ::truncate(file.c_str(), 0); }, EACCES},
                         open_it(O_RDONLY | O_TRUNC, EACCES),
                         open_it(O_ACCMODE | O_TRUNC, EACCES),
                         open_it(O_RDONLY, 0)});
    EXPECT_EQ(fs::file_size(file), 4U);
    expect_errors(bare, {open_it(O_WRONLY | O_TRUNC, 0)});
    EXPECT_EQ(fs::file_size(file), 0U);
    expect_errors(walled, {open_it(O_RDONLY | O_TRUNC, 0)});
}

struct Everyday {
    const char* name;
    const char* program;  // without it there is nothing to test
    const char* script;
    bool without_namespaces;  // and without changing metadata
};

std::ostream& operator<<(std::ostream& out, const Everyday& one) { return out << one.name; }

class SyscallWallsAndPrograms : public SyscallWallsAndFiles,
                                public testing::WithParamInterface<Everyday> {
protected:
    Ran run(const SyscallPolicy& policy, const std::string& script) {
        return confined(policy, [this, &script] {
            if (::chdir(dir.c_str()) != 0) ::_exit(124);
            ::execlp("bash", "bash", "-c", script.c_str(), nullptr);
            ::_exit(126);
        });
    }
};

TEST_P(SyscallWallsAndPrograms, Work) {
    const Everyday& one = GetParam();
    const std::string there = std::string("command -v ") + one.program + " >/dev/null";
    if (run(walled, there).status != 0) GTEST_SKIP() << "there is no " << one.program;
    std::vector<SyscallPolicy> policies = {walled, with(Sockets::None)};
    if (one.without_namespaces) policies.push_back(bare);
    for (const SyscallPolicy& policy : policies) {
        const Ran ran = run(policy, one.script);
        EXPECT_THAT(ran.output, testing::EndsWith("ok\n"));
        EXPECT_EQ(ran.status, 0) << ran.output;
    }
}

constexpr Everyday programs[] = {
    {"Bash", "bash", "echo ok | cat", true},
    {"BashJobs", "bash", "sleep 50 & kill $!; wait $!; test $? = 143 && cat <<< ok", true},
    {"BashTerminatesItself", "bash", "bash -c 'kill -TERM $$'; test $? = 143 && echo ok", true},
    {"Make", "make", "printf 'all: a b\n\techo ok\na b:\n\tsleep 0.1\n' > Makefile; make -sj2",
     true},
    {"Python", "python3",
     R"(python3 -c '
import subprocess, threading, tempfile, asyncio
thread = threading.Thread(target=lambda: None); thread.start(); thread.join()
asyncio.run(asyncio.sleep(0))
assert subprocess.run(["true"]).returncode == 0
with tempfile.TemporaryFile() as file: file.write(b"x")
print("ok")')",
     true},
    {"PythonProcesses", "python3",
     R"(python3 -c '
import multiprocessing
with multiprocessing.Pool(2) as pool: assert pool.map(abs, [-1, -2]) == [1, 2]
print("ok")')",
     true},
    {"Node", "node",
     R"(node -e '
const { Worker } = require("worker_threads");
const { spawnSync } = require("child_process");
if (spawnSync("echo", ["x"]).stdout.toString() !== "x\n") throw "no child";
require("fs").writeFileSync("made", "x");
new Worker("", { eval: true }).on("exit", () => console.log("ok"));')",
     true},
    {"Java", "java", "java -version && echo ok", true},
    {"Compiler", "g++",
     R"(cat > a.cc << end
#include <cstdio>
#include <thread>
int main() { std::thread([] { puts("ok"); }).join(); }
end
g++ -pthread a.cc && ./a.out)",
     false},
    {"Git", "git",
     "rm -rf r && git init -q r && cd r && echo x > f && git add f && "
     "git -c user.name=a -c user.email=a@b commit -qm x && git log --oneline | grep -q x && echo "
     "ok",
     false},
    {"Cargo", "cargo",
     R"(rm -rf c && cargo new -q --vcs none c && cd c && echo 'fn main() { println!("ok") }' > src/main.rs &&
cargo run -q --offline)",
     false},
    {"Tar", "tar", "mkdir -p d && echo x > d/f && tar cf t.tar d && tar xpf t.tar && echo ok",
     false},
};

INSTANTIATE_TEST_SUITE_P(Everyday, SyscallWallsAndPrograms, testing::ValuesIn(programs),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace husk::confine
