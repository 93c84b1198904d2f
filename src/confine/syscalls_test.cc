// Calls that are refused, and calls that are not, whatever their arguments are.
#include "confine/syscalls.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <set>
#include <string>

#include "confine/sample_policies.h"
#include "confine/syscalls_table.h"

namespace husk::confine {
namespace {

using namespace sample;

// The numbers here are the headers' where they know the call: they check the table's.
const std::vector<Named> not_permitted = {
    CALL(ptrace),
    CALL(process_vm_readv),
    CALL(process_vm_writev),
    CALL(pidfd_getfd),
    CALL(kcmp),
    CALL(process_madvise),
    CALL(move_pages),
    CALL(migrate_pages),
    CALL(bpf),
    CALL(perf_event_open),
    CALL(userfaultfd),
    CALL(mount),
    CALL(umount2),
    CALL(pivot_root),
    CALL(chroot),
    CALL(setns),
    CALL(open_tree),
    {"open_tree_attr", 467},
    CALL(move_mount),
    CALL(fsopen),
    CALL(fsconfig),
    CALL(fsmount),
    CALL(fspick),
    CALL(mount_setattr),
    CALL(name_to_handle_at),
    CALL(open_by_handle_at),
    CALL(fanotify_init),
    CALL(fanotify_mark),
    CALL(init_module),
    CALL(finit_module),
    CALL(delete_module),
    CALL(kexec_load),
    CALL(kexec_file_load),
    CALL(reboot),
    CALL(swapon),
    CALL(swapoff),
    CALL(acct),
    CALL(quotactl),
    CALL(quotactl_fd),
    CALL(syslog),
    CALL(sethostname),
    CALL(setdomainname),
    CALL(settimeofday),
    CALL(clock_settime),
    CALL(clock_adjtime),
    CALL(adjtimex),
    {"file_setattr", 469},
#ifdef __x86_64__
    CALL(modify_ldt),
    CALL(iopl),
    CALL(ioperm),
#endif
};

const std::vector<Named> not_there = {
    CALL(io_uring_setup), CALL(io_uring_enter), CALL(io_uring_register),
    CALL(clone3),         CALL(openat2),        CALL(vmsplice),
    CALL(add_key),        CALL(request_key),    CALL(keyctl)};

const std::vector<Named> metadata = {
    CALL(fchmod),       CALL(fchmodat),
    {"fchmodat2", 452}, CALL(fchown),
    CALL(fchownat),     CALL(utimensat),
    CALL(setxattr),     CALL(lsetxattr),
    CALL(fsetxattr),    {"setxattrat", 463},
    CALL(removexattr),  CALL(lremovexattr),
    CALL(fremovexattr), {"removexattrat", 466},
#ifdef __x86_64__
    CALL(chmod),        CALL(chown),
    CALL(lchown),       CALL(utime),
    CALL(utimes),       CALL(futimesat),
#endif
};

const std::vector<Named> shared_by_id = {
    CALL(shmget), CALL(shmat),   CALL(shmctl),   CALL(msgget), CALL(msgsnd),
    CALL(msgrcv), CALL(msgctl),  CALL(semget),   CALL(semop),  CALL(semtimedop),
    CALL(semctl), CALL(mq_open), CALL(mq_unlink)};

// What bash, compilers, interpreters and build tools are made of.
const std::vector<Named> everyday = {
    CALL(read),
    CALL(write),
    CALL(readv),
    CALL(writev),
    CALL(pread64),
    CALL(pwrite64),
    CALL(openat),
    CALL(close),
    CALL(close_range),
    CALL(dup),
    CALL(dup3),
    CALL(pipe2),
    CALL(fcntl),
    CALL(flock),
    CALL(lseek),
    CALL(fstat),
    CALL(newfstatat),
    CALL(statx),
    CALL(statfs),
    CALL(faccessat),
    CALL(faccessat2),
    CALL(readlinkat),
    CALL(getdents64),
    CALL(mkdirat),
    CALL(unlinkat),
    CALL(renameat2),
    CALL(linkat),
    CALL(symlinkat),
    CALL(mknodat),
    CALL(ftruncate),
    CALL(fallocate),
    CALL(fsync),
    CALL(sync_file_range),
    CALL(copy_file_range),
    CALL(sendfile),
    CALL(splice),
    CALL(getxattr),
    CALL(listxattr),
    CALL(umask),
    CALL(chdir),
    CALL(fchdir),
    CALL(getcwd),
    CALL(mmap),
    CALL(munmap),
    CALL(mprotect),
    CALL(mremap),
    CALL(madvise),
    CALL(mlock),
    CALL(brk),
    CALL(membarrier),
    CALL(memfd_create),
    CALL(pkey_alloc),
    CALL(mbind),
    CALL(set_mempolicy),
    CALL(execve),
    CALL(execveat),
    CALL(exit),
    CALL(exit_group),
    CALL(wait4),
    CALL(waitid),
    CALL(kill),
    CALL(tkill),
    CALL(tgkill),
    CALL(pidfd_open),
    CALL(pidfd_send_signal),
    CALL(rt_sigaction),
    CALL(rt_sigprocmask),
    CALL(rt_sigqueueinfo),
    CALL(rt_sigreturn),
    CALL(sigaltstack),
    CALL(signalfd4),
    CALL(setsid),
    CALL(setpgid),
    CALL(getpgid),
    CALL(getpid),
    CALL(getppid),
    CALL(gettid),
    CALL(setuid),
    CALL(setresuid),
    CALL(setgroups),
    CALL(capget),
    CALL(capset),
    CALL(prctl),
    CALL(personality),
    CALL(getrlimit),
    CALL(setrlimit),
    CALL(getrusage),
    CALL(getpriority),
    CALL(sched_yield),
    CALL(sched_getaffinity),
    CALL(sched_setaffinity),
    CALL(sched_setscheduler),
    CALL(sched_setattr),
    CALL(ioprio_get),
    CALL(times),
    CALL(sysinfo),
    CALL(uname),
    CALL(getrandom),
    CALL(futex),
    CALL(futex_waitv),
    CALL(set_robust_list),
    CALL(rseq),
    CALL(set_tid_address),
    CALL(epoll_create1),
    CALL(epoll_ctl),
    CALL(epoll_pwait),
    CALL(ppoll),
    CALL(pselect6),
    CALL(eventfd2),
    CALL(timerfd_create),
    CALL(timerfd_settime),
    CALL(timer_create),
    CALL(inotify_init1),
    CALL(inotify_add_watch),
    CALL(clock_gettime),
    CALL(clock_nanosleep),
    CALL(nanosleep),
    CALL(setitimer),
    CALL(gettimeofday),
    CALL(connect),
    CALL(bind),
    CALL(listen),
    CALL(accept4),
    CALL(getsockname),
    CALL(getsockopt),
    CALL(setsockopt),
    CALL(shutdown),
    CALL(sendto),
    CALL(sendmsg),
    CALL(sendmmsg),
    CALL(recvfrom),
    CALL(recvmsg),
    CALL(recvmmsg),
    CALL(shmdt),
    CALL(seccomp),
    CALL(landlock_create_ruleset),
    CALL(landlock_add_rule),
    CALL(landlock_restrict_self),
    {"cachestat", 451},
    {"statmount", 457},
    {"mseal", 462},
    {"file_getattr", 468},
#ifdef __x86_64__
    CALL(open),
    CALL(stat),
    CALL(lstat),
    CALL(access),
    CALL(pipe),
    CALL(dup2),
    CALL(fork),
    CALL(vfork),
    CALL(rename),
    CALL(unlink),
    CALL(mkdir),
    CALL(rmdir),
    CALL(link),
    CALL(symlink),
    CALL(readlink),
    CALL(creat),
    CALL(poll),
    CALL(select),
    CALL(epoll_wait),
    CALL(eventfd),
    CALL(arch_prctl),
    CALL(getpgrp),
    CALL(alarm),
    CALL(pause),
    CALL(time),
#endif
};

void expect_all(const std::vector<Named>& calls, const Answers& answers, int error) {
    for (const Named& call : calls) EXPECT_EQ(answers(call.number), error) << call.name;
}

TEST(SyscallPolicies, NeverAllowTheseCalls) {
    for (const SyscallPolicy& policy : all_policies()) {
        const Answers answers(policy);
        expect_all(not_permitted, answers, EPERM);
        expect_all(not_there, answers, ENOSYS);
    }
}

TEST(SyscallPolicies, AlwaysAllowEverydayCalls) {
    for (const SyscallPolicy& policy : all_policies()) expect_all(everyday, Answers(policy), 0);
}

TEST(SyscallPolicies, KeepMetadataWhereNoMountNamespaceDoes) {
    for (const SyscallPolicy& policy : all_policies())
        expect_all(metadata, Answers(policy), policy.metadata_forbidden ? EROFS : 0);
}

TEST(SyscallPolicies, KeepSharedMemoryWhereNoIpcNamespaceDoes) {
    for (const SyscallPolicy& policy : all_policies())
        expect_all(shared_by_id, Answers(policy), policy.ipc_namespace ? 0 : EPERM);
}

// Every row of the table is in one of the lists above, or is tested by name below.
TEST(SyscallPolicies, HaveATestForEveryRow) {
    std::set<std::string> tested = {"truncate"};
    for (const auto* calls : {&not_permitted, &not_there, &metadata, &shared_by_id})
        for (const Named& call : *calls) tested.insert(call.name);
    for (const RefusedCall& row : refused_calls())
        if (row.call.number(os::native_arch)) {
            EXPECT_TRUE(tested.contains(std::string(row.call.name))) << row.call.name;
        }
}

TEST(SyscallPolicies, RefuseTheSameOnBothMachines) {
    for (const SyscallPolicy& policy : all_policies()) {
        const Answers x86_64(policy, AUDIT_ARCH_X86_64);
        const Answers aarch64(policy, AUDIT_ARCH_AARCH64);
        for (const RefusedCall& row : refused_calls()) {
            if (row.call.aarch64 == no_such_call) continue;
            const auto number = [&row](uint32_t arch) { return *row.call.number(arch); };
            EXPECT_EQ(x86_64(number(AUDIT_ARCH_X86_64)), aarch64(number(AUDIT_ARCH_AARCH64)))
                << row.call.name;
        }
    }
}

// The table of Linux 6.18 for aarch64, where it is not the one of the headers here.
TEST(SyscallPolicies, LetTracersWorkWhereLandlockKeepsThemInside) {
    constexpr uint64_t stop_at_exit = 0x40;
    for (const bool witness : {false, true}) {
        SyscallPolicy policy = walled;
        policy.tracing = true;
        policy.witness = witness;
        const Answers answers(policy);
        for (const int call : {SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev})
            EXPECT_EQ(answers(static_cast<uint32_t>(call)), 0) << call;
        for (const uint64_t request : {0x4206U, 0x4200U, 21U}) {
            EXPECT_EQ(answers(SYS_ptrace, {request, 5, 0, 1}), 0);
            EXPECT_EQ(answers(SYS_ptrace, {request, 5, 0, stop_at_exit | 1}), witness ? -1 : EPERM);
        }
        EXPECT_EQ(answers(SYS_pidfd_getfd), witness ? -1 : EPERM);
    }
}

TEST(SyscallPolicies, AskAboutOtherUsersOnlyForRoot) {
    constexpr uint64_t unchanged = 0xffffffff;
    SyscallPolicy policy = walled;
    policy.witness = true;
    EXPECT_EQ(Answers(policy)(SYS_setresuid, {5, 5, 5}), 0);
    policy.one_user = true;
    const Answers answers(policy);
    EXPECT_EQ(answers(SYS_setresuid, {0, unchanged, 0}), 0);
    EXPECT_EQ(answers(SYS_setresuid, {unchanged, unchanged, 5}), -1);
    EXPECT_EQ(answers(SYS_setuid, {0}), 0);
    EXPECT_EQ(answers(SYS_setuid, {5}), -1);
    EXPECT_EQ(answers(SYS_setregid, {5, 0}), -1);
    EXPECT_EQ(answers(SYS_setgroups), -1);
    const auto rows = rows_for_witness(policy);
    EXPECT_TRUE(std::ranges::any_of(rows, [](const wire::RefusedRow& row) {
        return row.number == SYS_setgroups && row.error == EPERM;
    }));
}

TEST(SyscallPolicies, KnowTheNumbersOfAarch64) {
    const Answers answers(bare, AUDIT_ARCH_AARCH64);
    const std::pair<Named, int> known[] = {
        {{"setxattr", 5}, EROFS},
        {{"fremovexattr", 16}, EROFS},
        {{"getcwd", 17}, 0},
        {{"fcntl", 25}, 0},
        {{"flock", 32}, 0},
        {{"mknodat", 33}, 0},
        {{"umount2", 39}, EPERM},
        {{"mount", 40}, EPERM},
        {{"pivot_root", 41}, EPERM},
        {{"statfs", 43}, 0},
        {{"truncate", 45}, EACCES},
        {{"ftruncate", 46}, 0},
        {{"chroot", 51}, EPERM},
        {{"fchmod", 52}, EROFS},
        {{"fchown", 55}, EROFS},
        {{"openat", 56}, 0},
        {{"quotactl", 60}, EPERM},
        {{"read", 63}, 0},
        {{"utimensat", 88}, EROFS},
        {{"acct", 89}, EPERM},
        {{"exit", 93}, 0},
        {{"futex", 98}, 0},
        {{"kexec_load", 104}, EPERM},
        {{"clock_settime", 112}, EPERM},
        {{"clock_gettime", 113}, 0},
        {{"ptrace", 117}, EPERM},
        {{"kill", 129}, 0},
        {{"reboot", 142}, EPERM},
        {{"settimeofday", 170}, EPERM},
        {{"getpid", 172}, 0},
        {{"msgget", 186}, EPERM},
        {{"shmat", 196}, EPERM},
        {{"shmdt", 197}, 0},
        {{"socket", 198}, EPERM},
        {{"bind", 200}, 0},
        {{"sendmsg", 211}, 0},
        {{"add_key", 217}, ENOSYS},
        {{"keyctl", 219}, ENOSYS},
        {{"execve", 221}, 0},
        {{"swapon", 224}, EPERM},
        {{"move_pages", 239}, EPERM},
        {{"perf_event_open", 241}, EPERM},
        {{"wait4", 260}, 0},
        {{"fanotify_init", 262}, EPERM},
        {{"setns", 268}, EPERM},
        {{"sendmmsg", 269}, 0},
        {{"process_vm_readv", 270}, EPERM},
        {{"finit_module", 273}, EPERM},
        {{"seccomp", 277}, 0},
        {{"bpf", 280}, EPERM},
        {{"userfaultfd", 282}, EPERM},
        {{"statx", 291}, 0},
        {{"kexec_file_load", 294}, EPERM},
        {{"io_uring_setup", 425}, ENOSYS},
        {{"clone3", 435}, ENOSYS},
        {{"file_setattr", 469}, EPERM},
    };
    for (const auto& [call, error] : known) EXPECT_EQ(answers(call.number), error) << call.name;
    EXPECT_EQ(answers(220, {SIGCHLD}), 0);
    EXPECT_EQ(answers(220, {CLONE_NEWUSER | SIGCHLD}), EPERM);
    EXPECT_EQ(answers(97, {CLONE_NEWNS}), EPERM);
    EXPECT_EQ(answers(29, {0, TIOCSTI}), EPERM);
    EXPECT_EQ(answers(199, {AF_UNIX, SOCK_STREAM}), 0);
    EXPECT_EQ(answers(261, {1, 0, 1}), EPERM);
    EXPECT_EQ(answers(140, {0, 1}), EPERM);
    EXPECT_EQ(answers(30, {1, 1}), EPERM);
    EXPECT_EQ(answers(56, {0, 0, O_TRUNC}), EACCES);
}

TEST(SyscallPolicies, KnowNoOtherMachineAndNoNewerKernel) {
    for (const SyscallPolicy& policy : {walled, bare}) {
        const Answers answers(policy);
        for (const uint32_t number : {470U, 471U, 512U, 1000U, 0x40000000U, 0x40000001U, ~0U})
            EXPECT_EQ(answers(number), ENOSYS) << number;
        seccomp_data foreign{};
        foreign.nr = SYS_getpid;
        for (const unsigned arch :
             {0U + AUDIT_ARCH_I386, 0U + AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64}) {
            foreign.arch = arch;
            EXPECT_EQ(os::evaluate(program_of(policy), foreign), os::fail_with(ENOSYS));
        }
    }
}

}  // namespace
}  // namespace husk::confine
