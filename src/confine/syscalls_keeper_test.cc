// What stands behind the filter with the commands: nursery and keepers; and what it costs all.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "confine/sample_policies.h"
#include "confine/syscalls_table.h"

namespace husk::confine {
namespace {

using namespace sample;

// What nursery and keepers do under the filter, as src/keeper does it.
TEST(SyscallPolicies, LetTheKeeperWork) {
    std::vector<Example> examples = {
        {CALL(clone), {SIGCHLD}, 0},
        {CALL(clone), {CLONE_VM | CLONE_VFORK | SIGCHLD}, 0},
        {CALL(clone3), {}, ENOSYS},  // it goes on without
        {CALL(openat), {0, 0, O_RDONLY | O_CLOEXEC | O_DIRECTORY}, 0},
        {CALL(openat), {0, 0, O_WRONLY | O_CLOEXEC}, 0},
        {CALL(ioctl), {0, FIONREAD}, 0},
        {CALL(socketpair), {AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0}, 0},
        {CALL(prlimit64), {0, 7, 0x1000, 0}, 0},
        {CALL(prlimit64), {0, 7, 0, 0x1000}, 0},
        {CALL(getpriority), {0, 0}, 0},
        {CALL(setpriority), {0, 0, static_cast<uint64_t>(-20)}, 0},
    };
    for (const Named& call : {CALL(read),           CALL(pread64),       CALL(write),
                              CALL(pwrite64),       CALL(mkdirat),       CALL(unlinkat),
                              CALL(close),          CALL(close_range),   CALL(dup3),
                              CALL(pipe2),          CALL(fcntl),         CALL(ftruncate),
                              CALL(fallocate),      CALL(getdents64),    CALL(mmap),
                              CALL(madvise),        CALL(ppoll),         CALL(signalfd4),
                              CALL(rt_sigprocmask), CALL(rt_sigaction),  CALL(rt_sigqueueinfo),
                              CALL(kill),           CALL(getpid),        CALL(geteuid),
                              CALL(getegid),        CALL(setsid),        CALL(umask),
                              CALL(fchdir),         CALL(prctl),         CALL(wait4),
                              CALL(waitid),         CALL(clock_gettime), CALL(accept4),
                              CALL(getsockopt),     CALL(setsockopt),    CALL(sendmsg),
                              CALL(recvmsg),        CALL(sendto),        CALL(recvfrom),
                              CALL(execve),         CALL(exit),          CALL(exit_group)})
        examples.push_back({call, {}, 0});
    for (const SyscallPolicy& policy : all_policies()) EXPECT_EQ(otherwise(policy, examples), "");
}

// A call that is new in the keeper is either allowed, or made before the filter stands, or by the
// mason, who is outside.
TEST(SyscallPolicies, RefuseNothingElseThatTheKeeperCalls) {
    const std::set<std::string> before = {"unshare",    "mount",         "umount2", "open_tree",
                                          "move_mount", "mount_setattr", "setns",   "pivot_root",
                                          "chroot",     "sethostname",   "fsopen",  "fsconfig",
                                          "fsmount",    "clone3"};
    const std::set<std::string> by_the_mason = {"process_vm_readv", "process_vm_writev",
                                                "pidfd_getfd", "openat2", "fchmodat"};
    std::ifstream file(HUSK_SOURCE_DIR "/src/keeper/sys.cc");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    std::set<std::string> called;
    const std::regex number("__NR_(\\w+)");
    for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at)
        called.insert((*at)[1]);
    EXPECT_GT(called.size(), 40U);
    for (const RefusedCall& row : refused_calls())
        if (const std::string name(row.call.name);
            !before.contains(name) && !by_the_mason.contains(name)) {
            EXPECT_FALSE(called.contains(name)) << name;
        }
}

// Steps until the fate of a number is known, or depends on arguments.
size_t longest_search(const std::vector<sock_filter>& program) {
    std::vector<size_t> from(program.size() + 1);
    for (size_t i = program.size(); i-- > 0;) {
        const sock_filter& step = program[i];
        const bool asks =
            step.code == (BPF_LD | BPF_W | BPF_ABS) && step.k >= offsetof(seccomp_data, args);
        if (asks || BPF_CLASS(step.code) == BPF_RET) continue;
        if (BPF_CLASS(step.code) != BPF_JMP)
            from[i] = 1 + from[i + 1];
        else if (BPF_OP(step.code) == BPF_JA)
            from[i] = 1 + from[i + 1 + step.k];
        else
            from[i] = 1 + std::max(from[i + 1 + step.jt], from[i + 1 + step.jf]);
    }
    return from[0];
}

TEST(SyscallPolicies, AreShortPrograms) {
    for (const uint32_t arch : {uint32_t{AUDIT_ARCH_X86_64}, uint32_t{AUDIT_ARCH_AARCH64}})
        for (const SyscallPolicy& policy : all_policies()) {
            const auto program = program_of(policy, arch);
            EXPECT_LT(program.size(), 400U);  // of 4096
            EXPECT_LE(longest_search(program), 12U);
        }
}

}  // namespace
}  // namespace husk::confine
