#include "confine/syscalls.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "confine/syscalls_table.h"

namespace husk::confine {
namespace {

using Arguments = std::vector<uint64_t>;

constexpr SyscallPolicy walled = {.metadata_forbidden = false,
                                  .sockets = Sockets::PrivateNetwork,
                                  .pid_namespace = true,
                                  .ipc_namespace = true,
                                  .truncate_forbidden = false};
constexpr SyscallPolicy bare = {.metadata_forbidden = true,
                                .sockets = Sockets::None,
                                .pid_namespace = false,
                                .ipc_namespace = false,
                                .truncate_forbidden = true};

SyscallPolicy with(Sockets sockets) {
    SyscallPolicy policy = walled;
    policy.sockets = sockets;
    return policy;
}

std::vector<SyscallPolicy> all_policies() {
    std::vector<SyscallPolicy> all;
    for (const Sockets sockets :
         {Sockets::None, Sockets::Unix, Sockets::Network, Sockets::PrivateNetwork})
        for (unsigned bits = 0; bits < 16; ++bits)
            all.push_back({.metadata_forbidden = (bits & 1) != 0,
                           .sockets = sockets,
                           .pid_namespace = (bits & 2) != 0,
                           .ipc_namespace = (bits & 4) != 0,
                           .truncate_forbidden = (bits & 8) != 0});
    return all;
}

std::vector<sock_filter> program_of(const SyscallPolicy& policy, uint32_t arch = os::native_arch) {
    const auto program = os::compile(syscall_policy(policy, arch));
    EXPECT_TRUE(program) << program.error().text();
    return program.value_or(std::vector<sock_filter>{});
}

// What a call answers: 0 if it is let through, else the error.
class Answers {
public:
    explicit Answers(const SyscallPolicy& policy, uint32_t arch = os::native_arch)
        : arch_(arch), program_(program_of(policy, arch)) {}

    int operator()(uint32_t number, const Arguments& arguments = {}) const {
        seccomp_data call{};
        call.nr = static_cast<int>(number);
        call.arch = arch_;
        std::ranges::copy(arguments, call.args);
        const uint32_t action = os::evaluate(program_, call);
        if (action == os::let_through) return 0;
        const bool fails = (action & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO;
        return fails ? static_cast<int>(action & SECCOMP_RET_DATA) : -1;
    }

private:
    uint32_t arch_;
    std::vector<sock_filter> program_;
};

struct Named {
    const char* name;
    uint32_t number;
};

#define CALL(name) \
    Named { #name, SYS_##name }

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
    CALL(add_key),
    CALL(request_key),
    CALL(keyctl),
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
#ifdef __x86_64__
    CALL(modify_ldt),
    CALL(iopl),
    CALL(ioperm),
#endif
};

const std::vector<Named> not_there = {CALL(io_uring_setup), CALL(io_uring_enter),
                                      CALL(io_uring_register), CALL(clone3)};

const std::vector<Named> metadata = {
    CALL(fchmod),          CALL(fchmodat),
    {"fchmodat2", 452},    CALL(fchown),
    CALL(fchownat),        CALL(utimensat),
    CALL(setxattr),        CALL(lsetxattr),
    CALL(fsetxattr),       {"setxattrat", 463},
    CALL(removexattr),     CALL(lremovexattr),
    CALL(fremovexattr),    {"removexattrat", 466},
    {"file_setattr", 469},
#ifdef __x86_64__
    CALL(chmod),           CALL(chown),
    CALL(lchown),          CALL(utime),
    CALL(utimes),          CALL(futimesat),
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
    std::set<std::string> tested = {"truncate", "openat2"};
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
        {{"add_key", 217}, EPERM},
        {{"keyctl", 219}, EPERM},
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
        {{"file_setattr", 469}, EROFS},
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

struct Example {
    Named call;
    Arguments arguments;
    int error;
};

void expect_answers(const SyscallPolicy& policy, const std::vector<Example>& examples) {
    const Answers answers(policy);
    for (const Example& one : examples)
        EXPECT_EQ(answers(one.call.number, one.arguments), one.error)
            << one.call.name << testing::PrintToString(one.arguments);
}

constexpr uint64_t rubbish = 0xdeadbeef00000000;  // in the upper half, where an int has none

TEST(SyscallPolicies, AllowNoNewNamespace) {
    std::vector<Example> examples = {
        {CALL(clone), {SIGCHLD}, 0},
        {CALL(clone), {CLONE_VM | CLONE_VFORK | SIGCHLD}, 0},
        {CALL(clone), {0x3d0f00}, 0},   // pthread_create
        {CALL(clone), {0x1200011}, 0},  // fork of glibc
        {CALL(clone), {rubbish | SIGCHLD}, 0},
        {CALL(clone), {rubbish | CLONE_NEWUSER | SIGCHLD}, EPERM},
        {CALL(unshare), {CLONE_FILES}, 0},
        {CALL(unshare), {CLONE_FS | CLONE_SYSVSEM}, 0},
        {CALL(unshare), {CLONE_NEWTIME}, EPERM},
        {CALL(unshare), {CLONE_FILES | CLONE_NEWNS}, EPERM},
        {CALL(unshare), {0x00100000}, EPERM},  // an empty mount namespace, one day
        {CALL(unshare), {1ULL << 32U}, EPERM},
        {CALL(unshare), {1ULL << 63U | CLONE_FILES}, EPERM},
    };
    for (const int flag : {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER,
                           CLONE_NEWPID, CLONE_NEWNET}) {
        const auto bit = static_cast<uint64_t>(flag);
        examples.push_back({CALL(clone), {bit | SIGCHLD}, EPERM});
        examples.push_back({CALL(unshare), {bit}, EPERM});
    }
    for (const SyscallPolicy& policy : all_policies()) expect_answers(policy, examples);
}

TEST(SyscallPolicies, DoNotTypeIntoTerminals) {
    for (const SyscallPolicy& policy : all_policies())
        expect_answers(policy, {
                                   {CALL(ioctl), {0, TCGETS}, 0},
                                   {CALL(ioctl), {0, TIOCGWINSZ}, 0},
                                   {CALL(ioctl), {0, TIOCSCTTY}, 0},
                                   {CALL(ioctl), {0, FIONREAD}, 0},
                                   {CALL(ioctl), {0, FICLONE}, 0},
                                   {CALL(ioctl), {0, FS_IOC_GETFLAGS}, 0},
                                   {CALL(ioctl), {TIOCSTI, 0}, 0},
                                   {CALL(ioctl), {0, TIOCSTI}, EPERM},
                                   {CALL(ioctl), {0, rubbish | TIOCSTI}, EPERM},
                                   {CALL(ioctl), {0, TIOCLINUX}, EPERM},
                                   {CALL(ioctl), {0, rubbish | TIOCLINUX}, EPERM},
                                   {CALL(ioctl), {0, FS_IOC_SETFLAGS}, EPERM},
                                   {CALL(ioctl), {0, rubbish | FS_IOC_FSSETXATTR}, EPERM},
                               });
    constexpr uint64_t enable_verity = 0x40806685;
    constexpr uint64_t btrfs_subvolume = 0x5000940e;
    for (const uint64_t request : {enable_verity, btrfs_subvolume}) {
        EXPECT_EQ(Answers(walled)(SYS_ioctl, {0, request}), 0);
        EXPECT_EQ(Answers(bare)(SYS_ioctl, {0, rubbish | request}), EROFS);
    }
}

// The families, types and protocols, and the answer for None, Unix, Network, PrivateNetwork.
struct SocketExample {
    const char* says;
    Arguments arguments;
    int none;
    int unix_only;
    int network;
    int private_network;
};

constexpr int no_family = EAFNOSUPPORT;
constexpr int no_protocol = EPROTONOSUPPORT;
constexpr uint64_t flags = SOCK_CLOEXEC | SOCK_NONBLOCK;

const std::vector<SocketExample> sockets = {
    {"unix stream", {AF_UNIX, SOCK_STREAM, 0}, EPERM, 0, 0, EPERM},
    {"unix datagram", {AF_UNIX, SOCK_DGRAM | flags, 0}, EPERM, 0, 0, EPERM},
    {"unix, rubbish", {rubbish | AF_UNIX, SOCK_DGRAM, 0}, EPERM, 0, 0, EPERM},
    {"TCP", {AF_INET, SOCK_STREAM, 0}, EPERM, EPERM, 0, 0},
    {"TCP by name", {AF_INET, SOCK_STREAM | flags, IPPROTO_TCP}, EPERM, EPERM, 0, 0},
    {"TCP, rubbish", {rubbish | AF_INET, rubbish | SOCK_STREAM, rubbish}, EPERM, EPERM, 0, 0},
    {"UDP", {AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0}, EPERM, EPERM, 0, 0},
    {"UDP by name", {AF_INET, SOCK_DGRAM, IPPROTO_UDP}, EPERM, EPERM, 0, 0},
    {"TCP 6", {AF_INET6, SOCK_STREAM | flags, 0}, EPERM, EPERM, 0, 0},
    {"UDP 6", {AF_INET6, SOCK_DGRAM, IPPROTO_UDP}, EPERM, EPERM, 0, 0},
    {"ping", {AF_INET, SOCK_DGRAM, IPPROTO_ICMP}, EPERM, EPERM, 0, EPERM},
    {"ping 6", {AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6}, EPERM, EPERM, 0, EPERM},
    {"MPTCP", {AF_INET, SOCK_STREAM, 262}, EPERM, EPERM, no_protocol, EPERM},
    {"MPTCP, rubbish", {AF_INET, SOCK_STREAM, rubbish | 262}, EPERM, EPERM, no_protocol, EPERM},
    {"MPTCP 6", {AF_INET6, SOCK_STREAM | flags, 262}, EPERM, EPERM, no_protocol, EPERM},
    {"SCTP", {AF_INET, SOCK_STREAM, IPPROTO_SCTP}, EPERM, EPERM, no_protocol, EPERM},
    {"SCTP 6", {AF_INET6, SOCK_SEQPACKET, IPPROTO_SCTP}, EPERM, EPERM, no_protocol, EPERM},
    {"DCCP", {AF_INET, SOCK_DCCP, 0}, EPERM, EPERM, no_protocol, EPERM},
    {"UDP-Lite", {AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE}, EPERM, EPERM, no_protocol, EPERM},
    {"raw", {AF_INET, SOCK_RAW, IPPROTO_ICMP}, EPERM, EPERM, no_protocol, EPERM},
    {"raw 6", {AF_INET6, SOCK_RAW | flags, IPPROTO_RAW}, EPERM, EPERM, no_protocol, EPERM},
    {"packet in disguise", {AF_INET, SOCK_PACKET, 0x300}, EPERM, EPERM, no_protocol, EPERM},
    {"packet", {AF_PACKET, SOCK_RAW, 0x300}, EPERM, EPERM, no_family, EPERM},
    {"routes", {AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE}, EPERM, EPERM, 0, 0},
    {"sock_diag", {AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG}, EPERM, EPERM, no_protocol, EPERM},
    {"audit", {AF_NETLINK, SOCK_RAW, NETLINK_AUDIT}, EPERM, EPERM, no_protocol, EPERM},
    {"uevents", {AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT}, EPERM, EPERM, no_protocol, EPERM},
    {"netfilter", {AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER}, EPERM, EPERM, no_protocol, EPERM},
    {"vsock", {AF_VSOCK, SOCK_STREAM, 0}, EPERM, EPERM, no_family, EPERM},
    {"crypto", {AF_ALG, SOCK_SEQPACKET, 0}, EPERM, EPERM, no_family, EPERM},
    {"bluetooth", {AF_BLUETOOTH, SOCK_RAW, 1}, EPERM, EPERM, no_family, EPERM},
    {"CAN", {AF_CAN, SOCK_RAW, 1}, EPERM, EPERM, no_family, EPERM},
    {"keys", {AF_KEY, SOCK_RAW, 2}, EPERM, EPERM, no_family, EPERM},
    {"XDP", {AF_XDP, SOCK_RAW, 0}, EPERM, EPERM, no_family, EPERM},
    {"TIPC", {AF_TIPC, SOCK_RDM, 0}, EPERM, EPERM, no_family, EPERM},
    {"SMC", {AF_SMC, SOCK_STREAM, 0}, EPERM, EPERM, no_family, EPERM},
    {"no family", {AF_UNSPEC, SOCK_STREAM, 0}, EPERM, EPERM, no_family, EPERM},
    {"one day", {AF_MAX + 1, SOCK_STREAM, 0}, EPERM, EPERM, no_family, EPERM},
};

TEST(SyscallPolicies, AllowTheSocketsThatWereAskedFor) {
    const Answers none(with(Sockets::None));
    const Answers unix_only(with(Sockets::Unix));
    const Answers network(with(Sockets::Network));
    const Answers private_network(with(Sockets::PrivateNetwork));
    for (const SocketExample& one : sockets) {
        EXPECT_EQ(none(SYS_socket, one.arguments), one.none) << one.says;
        EXPECT_EQ(unix_only(SYS_socket, one.arguments), one.unix_only) << one.says;
        EXPECT_EQ(network(SYS_socket, one.arguments), one.network) << one.says;
        EXPECT_EQ(private_network(SYS_socket, one.arguments), one.private_network) << one.says;
    }
}

TEST(SyscallPolicies, AlwaysAllowConnectedPairsOfUnixSockets) {
    for (const SyscallPolicy& policy : all_policies()) {
        const int refused = policy.sockets == Sockets::Network ? EAFNOSUPPORT : EPERM;
        const bool to_anybody =
            policy.sockets == Sockets::Unix || policy.sockets == Sockets::Network;
        const int datagrams = to_anybody ? 0 : EPERM;
        expect_answers(policy, {
                                   {CALL(socketpair), {rubbish | AF_UNIX, SOCK_STREAM, 0}, 0},
                                   {CALL(socketpair), {AF_UNIX, SOCK_SEQPACKET | flags, 0}, 0},
                                   {CALL(socketpair), {AF_UNIX, SOCK_DGRAM, 0}, datagrams},
                                   {CALL(socketpair), {AF_UNIX, SOCK_RAW, 0}, datagrams},
                                   {CALL(socketpair), {AF_TIPC, SOCK_RDM, 0}, refused},
                                   {CALL(socketpair), {AF_INET, SOCK_STREAM, 0}, refused},
                               });
    }
}

TEST(SyscallPolicies, KeepOtherProcessesWhereNoPidNamespaceDoes) {
    constexpr uint64_t limits = 0x7ffc00000000;  // an address whose lower half is 0
    const std::vector<Example> about_others = {
        {CALL(prlimit64), {1, 7, limits, 0}, EPERM},
        {CALL(prlimit64), {1, 7, 0x1000, 0x2000}, EPERM},
        {CALL(setpriority), {PRIO_PROCESS, 1, 19}, EPERM},
        {CALL(setpriority), {PRIO_PGRP, 1, 19}, EPERM},
        {CALL(setpriority), {PRIO_USER, 0, 19}, EPERM},
        {CALL(setpriority), {rubbish | PRIO_USER, rubbish, 19}, EPERM},
        {CALL(sched_setaffinity), {1, 8, 0}, EPERM},
        {CALL(sched_setscheduler), {1, 0, 0}, EPERM},
        {CALL(sched_setparam), {1, 0, 0}, EPERM},
        {CALL(sched_setattr), {1, 0, 0}, EPERM},
        {CALL(ioprio_set), {1, 1, 0}, EPERM},
        {CALL(ioprio_set), {2, 1, 0}, EPERM},
        {CALL(ioprio_set), {3, 0, 0}, EPERM},
    };
    const std::vector<Example> about_oneself = {
        {CALL(prlimit64), {0, 7, limits, limits}, 0},
        {CALL(prlimit64), {rubbish, 7, limits, limits}, 0},
        {CALL(prlimit64), {1, 7, 0, limits}, 0},  // asking is harmless
        {CALL(setpriority), {PRIO_PROCESS, 0, 19}, 0},
        {CALL(setpriority), {PRIO_PGRP, 0, 19}, 0},
        {CALL(sched_setaffinity), {rubbish, 8, 0}, 0},
        {CALL(sched_setattr), {0, 0, 0}, 0},
        {CALL(ioprio_set), {1, 0, 0}, 0},
        {CALL(ioprio_set), {2, 0, 0}, 0},
    };
    for (const SyscallPolicy& policy : all_policies()) {
        expect_answers(policy, about_oneself);
        if (!policy.pid_namespace) expect_answers(policy, about_others);
        if (!policy.pid_namespace) continue;
        for (const Example& one : about_others)
            EXPECT_EQ(Answers(policy)(one.call.number, one.arguments), 0) << one.call.name;
    }
}

TEST(SyscallPolicies, KeepFilesFromBeingEmptiedWhereLandlockCannot) {
    const auto examples = [](int refused, int hidden) -> std::vector<Example> {
        return {
            {CALL(truncate), {}, refused},
            {CALL(openat2), {}, hidden},
            {CALL(openat), {0, 0, O_RDONLY | O_TRUNC}, refused},
            {CALL(openat), {0, 0, rubbish | O_RDONLY | O_TRUNC | O_CLOEXEC | O_CREAT}, refused},
            {CALL(openat), {0, 0, O_ACCMODE | O_TRUNC}, refused},
            {CALL(openat), {0, 0, O_WRONLY | O_TRUNC | O_CREAT}, 0},
            {CALL(openat), {0, 0, rubbish | O_RDWR | O_TRUNC}, 0},
            {CALL(openat), {0, O_TRUNC, O_RDONLY}, 0},
#ifdef __x86_64__
            {CALL(open), {0, O_RDONLY | O_TRUNC}, refused},
            {CALL(open), {0, O_WRONLY | O_TRUNC}, 0},
#endif
        };
    };
    for (const SyscallPolicy& policy : all_policies())
        expect_answers(policy,
                       policy.truncate_forbidden ? examples(EACCES, ENOSYS) : examples(0, 0));
}

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
    for (const SyscallPolicy& policy : all_policies()) expect_answers(policy, examples);
}

// A call that is new in the keeper is either allowed, or made before the filter stands, or by the
// mason, who is outside.
TEST(SyscallPolicies, RefuseNothingElseThatTheKeeperCalls) {
    const std::set<std::string> before = {"unshare",    "mount",         "umount2", "open_tree",
                                          "move_mount", "mount_setattr", "setns",   "pivot_root",
                                          "chroot",     "sethostname",   "fsopen",  "fsconfig",
                                          "fsmount",    "clone3"};
    const std::set<std::string> by_the_mason = {"process_vm_readv"};
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
            EXPECT_LT(program.size(), 300U);  // of 4096
            EXPECT_LE(longest_search(program), 12U);
        }
}

}  // namespace
}  // namespace husk::confine
