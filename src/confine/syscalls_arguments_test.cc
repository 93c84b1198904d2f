// Calls whose arguments decide.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <csignal>

#include "confine/sample_policies.h"

namespace husk::confine {
namespace {

using namespace sample;

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
    for (const SyscallPolicy& policy : all_policies()) EXPECT_EQ(otherwise(policy, examples), "");
}

TEST(SyscallPolicies, DoNotTypeIntoTerminals) {
    for (const SyscallPolicy& policy : all_policies())
        EXPECT_EQ(otherwise(policy,
                            {
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
                            }),
                  "");
    constexpr uint64_t enable_verity = 0x40806685;
    EXPECT_EQ(Answers(walled)(SYS_ioctl, {0, enable_verity}), 0);
    EXPECT_EQ(Answers(bare)(SYS_ioctl, {0, rubbish | enable_verity}), EROFS);
}

struct Request {
    const char* name;
    uint64_t number;
    int error;
};

// They make directories that nobody is asked about, and copies of what is withheld.
TEST(SyscallPolicies, RefuseIoctlsThatMakeOrFindFilesPastTheirPaths) {
    constexpr Request examples[] = {
        {"BTRFS_IOC_SNAP_CREATE", 0x50009401, EPERM},
        {"BTRFS_IOC_SUBVOL_CREATE", 0x5000940e, EPERM},
        {"BTRFS_IOC_SNAP_DESTROY", 0x5000940f, EPERM},
        {"BTRFS_IOC_TREE_SEARCH", 0xd0009411, EPERM},
        {"BTRFS_IOC_TREE_SEARCH_V2", 0xc0709411, EPERM},
        {"BTRFS_IOC_INO_LOOKUP", 0xd0009412, EPERM},
        {"BTRFS_IOC_SNAP_CREATE_V2", 0x50009417, EPERM},
        {"BTRFS_IOC_SUBVOL_CREATE_V2", 0x50009418, EPERM},
        {"BTRFS_IOC_SUBVOL_SETFLAGS", 0x4008941a, EPERM},
        {"BTRFS_IOC_LOGICAL_INO", 0xc0389424, EPERM},
        {"BTRFS_IOC_SET_RECEIVED_SUBVOL", 0xc0c89425, EPERM},
        {"BTRFS_IOC_SEND", 0x40489426, EPERM},
        {"BTRFS_IOC_INO_LOOKUP_USER", 0xd000943e, EPERM},
        {"BTRFS_IOC_SNAP_DESTROY_V2", 0x5000943f, EPERM},
        {"BTRFS_IOC_ENCODED_READ", 0x80809440, EPERM},
        {"BCH_IOCTL_SUBVOLUME_CREATE", 0x4020bc10, EPERM},
        {"BCH_IOCTL_SUBVOLUME_DESTROY", 0x4020bc11, EPERM},
        {"XFS_IOC_GETPARENTS_BY_HANDLE", 0xc040583f, EPERM},
        {"XFS_IOC_FSBULKSTAT", 0xc0205865, EPERM},
        {"XFS_IOC_OPEN_BY_HANDLE", 0x4038586b, EPERM},
        {"XFS_IOC_READLINK_BY_HANDLE", 0x4038586c, EPERM},
        {"XFS_IOC_SWAPEXT", 0xc0c0586d, EPERM},
        {"XFS_IOC_ATTRMULTI_BY_HANDLE", 0x4048587b, EPERM},
        {"XFS_IOC_BULKSTAT", 0x8040587f, EPERM},
        {"XFS_IOC_EXCHANGE_RANGE", 0x40285881, EPERM},
        {"EXT4_IOC_MOVE_EXT", 0xc028660f, EPERM},
        {"EXT4_IOC_SWAP_BOOT", 0x6611, EPERM},
        {"OCFS2_IOC_REFLINK", 0x40186f04, EPERM},
        {"FICLONE", FICLONE, 0},
        {"FICLONERANGE", FICLONERANGE, 0},
        {"FIDEDUPERANGE", FIDEDUPERANGE, 0},
        {"FS_IOC_FIEMAP", 0xc020660b, 0},
        {"FS_IOC_GETFLAGS", FS_IOC_GETFLAGS, 0},
        {"FS_IOC_FSGETXATTR", FS_IOC_FSGETXATTR, 0},
        {"XFS_IOC_DIOINFO", 0x800c581e, 0},
        {"XFS_IOC_UNRESVSP64", 0x4030582b, 0},
        {"FIONBIO", FIONBIO, 0},
    };
    for (const SyscallPolicy& policy : all_policies()) {
        const Answers answers(policy);
        for (const auto& [name, request, error] : examples)
            for (const uint64_t upper_half : {uint64_t{0}, rubbish})
                EXPECT_EQ(answers(SYS_ioctl, {0, upper_half | request}), error) << name;
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
    {"ping", {AF_INET, SOCK_DGRAM, IPPROTO_ICMP}, EPERM, EPERM, 0, 0},
    {"ping 6", {AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6}, EPERM, EPERM, 0, 0},
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
    {"sock_diag",
     {AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG},
     EPROTONOSUPPORT,
     EPERM,
     no_protocol,
     EPROTONOSUPPORT},
    {"audit",
     {AF_NETLINK, SOCK_RAW, NETLINK_AUDIT},
     EPROTONOSUPPORT,
     EPERM,
     no_protocol,
     EPROTONOSUPPORT},
    {"uevents",
     {AF_NETLINK, SOCK_DGRAM, NETLINK_KOBJECT_UEVENT},
     EPROTONOSUPPORT,
     EPERM,
     no_protocol,
     EPROTONOSUPPORT},
    {"netfilter", {AF_NETLINK, SOCK_RAW, NETLINK_NETFILTER}, EPERM, EPERM, no_protocol, EPERM},
    {"vsock", {AF_VSOCK, SOCK_STREAM, 0}, EPERM, EPERM, no_family, EPERM},
    {"crypto", {AF_ALG, SOCK_SEQPACKET, 0}, EPERM, EPERM, no_family, EPERM},
    {"bluetooth", {AF_BLUETOOTH, SOCK_RAW, 1}, EPERM, EPERM, no_family, EPERM},
    {"CAN", {AF_CAN, SOCK_RAW, 1}, EPERM, EPERM, no_family, EPERM},
    {"keys", {AF_KEY, SOCK_RAW, 2}, EPERM, EPERM, no_family, EPERM},
    {"XDP", {AF_XDP, SOCK_RAW, 0}, EPERM, EPERM, no_family, EPERM},
    {"TIPC", {AF_TIPC, SOCK_RDM, 0}, EPERM, EPERM, no_family, EPERM},
    {"RxRPC", {AF_RXRPC, SOCK_DGRAM, AF_INET}, EPERM, EPERM, no_family, EPERM},
    {"IPsec", {AF_NETLINK, SOCK_RAW, NETLINK_XFRM}, EPERM, EPERM, no_protocol, EPERM},
    {"crypto users", {AF_NETLINK, SOCK_RAW, NETLINK_CRYPTO}, EPERM, EPERM, no_protocol, EPERM},
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
        EXPECT_EQ(otherwise(policy,
                            {
                                {CALL(socketpair), {rubbish | AF_UNIX, SOCK_STREAM, 0}, 0},
                                {CALL(socketpair), {AF_UNIX, SOCK_SEQPACKET | flags, 0}, 0},
                                {CALL(socketpair), {AF_UNIX, SOCK_DGRAM, 0}, datagrams},
                                {CALL(socketpair), {AF_UNIX, SOCK_RAW, 0}, datagrams},
                                {CALL(socketpair), {AF_TIPC, SOCK_RDM, 0}, refused},
                                {CALL(socketpair), {AF_INET, SOCK_STREAM, 0}, refused},
                            }),
                  "");
    }
}

// The keeper is in the PID namespace too.
TEST(SyscallPolicies, LetACommandLimitOnlyItself) {
    constexpr uint64_t limits = 0x7ffc00000000;  // an address whose lower half is 0
    for (const SyscallPolicy& policy : all_policies())
        EXPECT_EQ(otherwise(policy,
                            {
                                {CALL(prlimit64), {1, 7, limits, 0}, EPERM},
                                {CALL(prlimit64), {1, 7, 0x1000, 0x2000}, EPERM},
                                {CALL(prlimit64), {rubbish | 2, 0, limits, 0}, EPERM},
                                {CALL(prlimit64), {0, 7, limits, limits}, 0},
                                {CALL(prlimit64), {rubbish, 7, limits, limits}, 0},
                                {CALL(prlimit64), {1, 7, 0, limits}, 0},  // asking is harmless
                            }),
                  "");
}

TEST(SyscallPolicies, KeepOtherProcessesWhereNoPidNamespaceDoes) {
    const std::vector<Example> about_others = {
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
        {CALL(setpriority), {PRIO_PROCESS, 0, 19}, 0},
        {CALL(setpriority), {PRIO_PGRP, 0, 19}, 0},
        {CALL(sched_setaffinity), {rubbish, 8, 0}, 0},
        {CALL(sched_setattr), {0, 0, 0}, 0},
        {CALL(ioprio_set), {1, 0, 0}, 0},
        {CALL(ioprio_set), {2, 0, 0}, 0},
    };
    for (const SyscallPolicy& policy : all_policies()) {
        EXPECT_EQ(otherwise(policy, about_oneself), "");
        std::vector<Example> about_some = about_others;
        if (policy.pid_namespace)  // it has no others
            for (Example& one : about_some) one.error = 0;
        EXPECT_EQ(otherwise(policy, about_some), "");
    }
}

TEST(SyscallPolicies, KeepFilesFromBeingEmptiedWhereLandlockCannot) {
    const auto examples = [](int refused) -> std::vector<Example> {
        return {
            {CALL(truncate), {}, refused},
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
        EXPECT_EQ(otherwise(policy, examples(policy.truncate_forbidden ? EACCES : 0)), "");
}

TEST(SyscallPolicies, LetNobodyMakeAFileThatRunsAsItsOwner) {
    constexpr uint64_t nameless = O_TMPFILE | O_RDWR;
    const auto examples = [](int ordinary) -> std::vector<Example> {
        const int refused = ordinary == 0 ? EPERM : ordinary;
        return {
            {CALL(fchmod), {3, 04755}, refused},
            {CALL(fchmod), {3, rubbish | 04000}, refused},
            {CALL(fchmod), {3, 0755}, ordinary},
            {CALL(fchmod), {3, 02775}, refused},  // where no witness can tell directories
            {CALL(fchmodat), {0, 0, 06755}, refused},
            {CALL(fchmodat), {0, 0, 01777}, ordinary},
            {{"fchmodat2", 452}, {0, 0, 04755, 0}, refused},
            {{"fchmodat2", 452}, {0, 0, 0755, 04000}, ordinary},
#ifdef __x86_64__
            {CALL(chmod), {0, 04755}, refused},
            {CALL(chmod), {0, 02755}, refused},
            {CALL(chmod), {0, 0644}, ordinary},
#endif
        };
    };
    const std::vector<Example> of_new_files = {
        {CALL(openat), {0, 0, O_CREAT | O_WRONLY, 04755}, EPERM},
        {CALL(openat), {0, 0, O_CREAT | O_WRONLY, 02755}, EPERM},
        {CALL(openat), {0, 0, nameless, rubbish | 04755}, EPERM},
        {CALL(openat), {0, 0, O_CREAT | O_WRONLY, 0644}, 0},
        {CALL(openat), {0, 0, O_WRONLY, 04755}, 0},  // the mode means nothing
        {CALL(mknodat), {0, 0, S_IFREG | 04755}, EPERM},
        {CALL(mknodat), {0, 0, S_IFIFO | 0644}, 0},
        {CALL(mkdirat), {0, 0, 02775}, 0},
#ifdef __x86_64__
        {CALL(open), {0, O_CREAT | O_RDWR, 04755}, EPERM},
        {CALL(creat), {0, 04755}, EPERM},
        {CALL(creat), {0, 0644}, 0},
        {CALL(mknod), {0, S_IFREG | 02755}, EPERM},
#endif
    };
    for (const SyscallPolicy& policy : all_policies()) {
        EXPECT_EQ(otherwise(policy, examples(policy.metadata_forbidden ? EROFS : 0)), "");
        EXPECT_EQ(otherwise(policy, of_new_files), "");
    }
}

}  // namespace
}  // namespace husk::confine
