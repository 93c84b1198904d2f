#include "confine/syscalls.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/ioprio.h>
#include <linux/netlink.h>
#include <linux/ptrace.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <tuple>
#include <utility>
#include <vector>

#include "confine/syscalls_table.h"

namespace husk::confine {
namespace {

using os::ArgumentCase;
using os::ArgumentTest;
using os::fail_with;
using os::let_through;
using os::Width;

using Cases = std::vector<ArgumentCase>;

void add(os::SyscallFilter& filter, const Syscall& call, uint32_t action, Cases cases = {}) {
    if (const auto number = call.number(filter.arch))
        filter.rules.push_back({*number, action, std::move(cases)});
}

ArgumentTest int_is(uint32_t argument, uint32_t value) {
    return {.argument = argument, .width = Width::Int, .value = value};
}

ArgumentTest int_bits_are(uint32_t argument, uint32_t mask, uint32_t value) {
    return {.argument = argument, .width = Width::Int, .value = value, .mask = mask};
}

ArgumentTest long_bits_are(uint32_t argument, uint64_t mask, uint64_t value) {
    return {.argument = argument, .width = Width::Long, .value = value, .mask = mask};
}

bool applies(When when, const SyscallPolicy& policy) {
    switch (when) {
        case When::Always: return true;
        case When::WithoutMountNamespace: return policy.metadata_forbidden;
        case When::WithoutIpcNamespace: return !policy.ipc_namespace;
        case When::WithoutTruncateRight: return policy.truncate_forbidden;
        case When::WithoutTracing: return !policy.tracing;
    }
    std::unreachable();
}

constexpr Syscall clone_call{"clone", 56, 220};
constexpr Syscall unshare_call{"unshare", 272, 97};
constexpr Syscall socket_call{"socket", 41, 198};

// Calls with which root becomes another user or group. 0 and -1 change nothing for root.
struct IdentityCall {
    Syscall call;
    uint32_t ids;  // so many arguments are ids; 0: the kernel always refuses
};
constexpr IdentityCall identity_calls[] = {
    {{"setuid", 105, 146}, 1},    {{"setgid", 106, 144}, 1},    {{"setreuid", 113, 145}, 2},
    {{"setregid", 114, 143}, 2},  {{"setresuid", 117, 147}, 3}, {{"setresgid", 119, 149}, 3},
    {{"setgroups", 116, 159}, 0},
};

// What is only missing, like clone3, nobody was denied.
bool is_told(int error, const SyscallPolicy& policy) { return policy.witness && error != ENOSYS; }

uint32_t refuse(int error, const SyscallPolicy& policy) {
    return is_told(error, policy) ? os::ask_the_listener : fail_with(error);
}

// The kernel refuses these to a root without CAP_SETUID and CAP_SETGID. The witness notes that it
// was the walls, and answers as the kernel would.
void judge_identity(os::SyscallFilter& filter) {
    constexpr uint32_t unchanged = 0xffffffff;
    for (const auto& [call, ids] : identity_calls) {
        Cases cases;
        for (uint32_t choice = 0; ids > 0 && choice < (1U << ids); ++choice) {
            ArgumentCase one{{}, let_through};
            for (uint32_t i = 0; i < ids; ++i)
                one.all_of.push_back(int_is(i, (choice >> i & 1U) != 0 ? unchanged : 0));
            cases.push_back(std::move(one));
        }
        add(filter, call, os::ask_the_listener, std::move(cases));
    }
}

// No new namespaces: they come with capabilities, and the kernel behind those is large. clone
// does not look at its upper half; unshare has flags that this list has never heard of.
void judge_namespaces(os::SyscallFilter& filter, const SyscallPolicy& policy) {
    constexpr uint64_t new_namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                        CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
    static_assert(new_namespaces == 0x7E020000);
    constexpr uint64_t harmless = CLONE_FILES | CLONE_FS | CLONE_SYSVSEM;
    add(filter, clone_call, refuse(EPERM, policy),
        {{{int_bits_are(0, new_namespaces, 0)}, let_through}});
    add(filter, unshare_call, refuse(EPERM, policy),
        {{{long_bits_are(0, ~harmless, 0)}, let_through}});
}

// Some file systems make, copy and remove whole directories by ioctl, or find files by number or
// handle. Landlock and the witness see none of that: a snapshot of a subvolume shows what was
// withheld from the session. `cp` needs the first three.
void judge_ioctls_of_file_systems(Cases& cases) {
    constexpr uint32_t type = 0xff00;             // the second byte of a request
    constexpr uint32_t type_and_number = 0xffff;  // the number is the first
    for (const uint64_t request : {FICLONE, FICLONERANGE, FIDEDUPERANGE})
        cases.push_back({{int_is(1, static_cast<uint32_t>(request))}, let_through});
    for (const auto& [mask, value] : std::initializer_list<std::pair<uint32_t, uint32_t>>{
             {type, 0x9400},              // Btrfs: subvolumes, snapshots, searches
             {type, 0xbc00},              // bcachefs: subvolumes
             {0xff80, 0x5880},            // XFS: numbers from 128 on, among them BULKSTAT
             {0xffe0, 0x5860},            // XFS: from 96 to 127, among them OPEN_BY_HANDLE
             {0xfffe, 0x583e},            // XFS_IOC_GETPARENTS, XFS_IOC_GETPARENTS_BY_HANDLE
             {type_and_number, 0x660f},   // EXT4_IOC_MOVE_EXT
             {type_and_number, 0x6611},   // EXT4_IOC_SWAP_BOOT
             {type_and_number, 0x6f04}})  // OCFS2_IOC_REFLINK: copies a file by its path
        cases.push_back({{int_bits_are(1, mask, value)}, fail_with(EPERM)});
}

// Typing into a terminal (CVE-2017-5226, CVE-2023-28100), and what changes a file or directory
// that is open for reading.
void judge_ioctl(os::SyscallFilter& filter, const SyscallPolicy& policy) {
    constexpr uint32_t never[] = {TIOCSTI, TIOCLINUX, FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR};
    constexpr uint32_t metadata[] = {
        0x40087602,  // FS_IOC_SETVERSION
        0x40086604,  // EXT4_IOC_SETVERSION
        0x40806685,  // FS_IOC_ENABLE_VERITY
        0x800c6613,  // FS_IOC_SET_ENCRYPTION_POLICY
        0x40047211,  // FAT_IOCTL_SET_ATTRIBUTES
    };
    Cases cases;
    for (const uint32_t request : never) cases.push_back({{int_is(1, request)}, fail_with(EPERM)});
    judge_ioctls_of_file_systems(cases);
    if (policy.metadata_forbidden)
        for (const uint32_t request : metadata)
            cases.push_back({{int_is(1, request)}, fail_with(EROFS)});
    add(filter, {"ioctl", 16, 29}, let_through, std::move(cases));
}

// Ways into IPsec from an ordinary socket (CVE-2026-43284, CVE-2026-46300). No command needs them;
// who tries TCP_ULP for TLS goes on without.
void judge_socket_options(os::SyscallFilter& filter) {
    constexpr uint32_t udp_encapsulation = 100;  // UDP_ENCAP
    constexpr uint32_t upper_protocol = 31;      // TCP_ULP
    add(filter, {"setsockopt", 54, 208}, let_through,
        {{{int_is(1, IPPROTO_UDP), int_is(2, udp_encapsulation)}, fail_with(ENOPROTOOPT)},
         {{int_is(1, IPPROTO_TCP), int_is(2, upper_protocol)}, fail_with(ENOPROTOOPT)}});
}

struct InternetSocket {
    int type;
    int protocol;
};

// Of IPv4 and IPv6. 0 is the usual protocol of a type. No raw sockets, and none of the protocols
// that Landlock's rules for ports do not see (MPTCP, SCTP, DCCP, UDP-Lite).
constexpr InternetSocket internet[] = {
    {SOCK_STREAM, 0}, {SOCK_STREAM, IPPROTO_TCP}, {SOCK_DGRAM, 0}, {SOCK_DGRAM, IPPROTO_UDP}};

ArgumentTest family_is(int family) { return int_is(0, static_cast<uint32_t>(family)); }
ArgumentTest protocol_is(int protocol) { return int_is(2, static_cast<uint32_t>(protocol)); }
ArgumentTest type_is(int type) {
    constexpr uint32_t without_flags = 0xf;  // SOCK_CLOEXEC and SOCK_NONBLOCK are in it too
    return int_bits_are(1, without_flags, static_cast<uint32_t>(type));
}

// One test for both: only this bit is different.
ArgumentTest family_is_internet() {
    constexpr uint32_t of_v6 = AF_INET ^ AF_INET6;
    static_assert(of_v6 == 8 && (AF_INET & of_v6) == 0);
    return int_bits_are(0, ~of_v6, AF_INET);
}

ArgumentCase allowed(const InternetSocket& kind) {
    return {{family_is_internet(), protocol_is(kind.protocol), type_is(kind.type)}, let_through};
}

// What `ping` opens: the kernel lets it send and hear only echoes.
ArgumentCase allowed_ping(int family, int protocol) {
    return {{family_is(family), protocol_is(protocol), type_is(SOCK_DGRAM)}, let_through};
}

// The names and addresses of interfaces, which getaddrinfo asks for.
ArgumentCase allowed_route() {
    return {{family_is(AF_NETLINK), protocol_is(NETLINK_ROUTE)}, let_through};
}

Cases socket_cases(Sockets sockets) {
    const bool network = sockets == Sockets::Network;
    Cases cases;
    // Programs go on without these where a kernel has none: su and sudo without the audit, ss
    // without a list of sockets, and libudev without news of devices.
    if (sockets == Sockets::PrivateNetwork || sockets == Sockets::None)
        for (const int protocol : {NETLINK_AUDIT, NETLINK_SOCK_DIAG, NETLINK_KOBJECT_UEVENT})
            cases.push_back(
                {{family_is(AF_NETLINK), protocol_is(protocol)}, fail_with(EPROTONOSUPPORT)});
    if (sockets == Sockets::None) return cases;
    if (sockets != Sockets::PrivateNetwork) cases.push_back({{family_is(AF_UNIX)}, let_through});
    if (sockets == Sockets::Unix) return cases;
    for (const InternetSocket& kind : internet) cases.push_back(allowed(kind));
    cases.push_back(allowed_ping(AF_INET, IPPROTO_ICMP));
    cases.push_back(allowed_ping(AF_INET6, IPPROTO_ICMPV6));
    cases.push_back(allowed_route());
    if (network)
        for (const int family : {AF_INET, AF_INET6, AF_NETLINK})
            cases.push_back({{family_is(family)}, fail_with(EPROTONOSUPPORT)});
    return cases;
}

// Where the network is open, a program shall take what is missing for an old kernel; elsewhere
// it shall see that it is not permitted. send and recv are never refused: pairs need them.
int error_of(Sockets sockets) { return sockets == Sockets::Network ? EAFNOSUPPORT : EPERM; }

void judge_sockets(os::SyscallFilter& filter, const SyscallPolicy& policy) {
    const Sockets sockets = policy.sockets;
    const int error = error_of(sockets);
    const bool gives_unix = sockets == Sockets::Unix || sockets == Sockets::Network;
    const bool through_witness =
        !gives_unix && policy.witness && policy.unix_sockets == UnixSockets::ThroughWitness;
    const Cases connected = {{{family_is(AF_UNIX), type_is(SOCK_STREAM)}, let_through},
                             {{family_is(AF_UNIX), type_is(SOCK_SEQPACKET)}, let_through}};
    Cases cases = socket_cases(sockets);
    if (through_witness) cases.insert(cases.end(), connected.begin(), connected.end());
    // Every look at the user's name asks a daemon for it first: nobody wants to be told.
    if (!gives_unix && !through_witness) cases.push_back({{family_is(AF_UNIX)}, fail_with(error)});
    add(filter, socket_call, refuse(error, policy), std::move(cases));
    // Half a pair of datagrams can still send to any path. The witness gives another pair for it.
    Cases pairs = connected;
    if (gives_unix) pairs = {{{family_is(AF_UNIX)}, let_through}};
    if (through_witness)
        for (const int type : {SOCK_DGRAM, SOCK_RAW})
            pairs.push_back({{family_is(AF_UNIX), type_is(type)}, os::ask_the_listener});
    add(filter, {"socketpair", 53, 199}, fail_with(error), std::move(pairs));
}

// The witness makes every connection of the session, whatever the socket and the address.
void judge_connections(os::SyscallFilter& filter, const SyscallPolicy& policy) {
    if (!policy.witness || policy.unix_sockets != UnixSockets::ThroughWitness) return;
    add(filter, {"connect", 42, 203}, os::ask_the_listener);
    // It is the peer of who accepts one, and no command shall have a descriptor of it.
    constexpr uint32_t peer_pidfd = 77;  // SO_PEERPIDFD
    add(filter, {"getsockopt", 55, 209}, let_through,
        {{{int_is(1, SOL_SOCKET), int_is(2, peer_pidfd)}, fail_with(ENOPROTOOPT)}});
}

// A keeper with too few descriptors can neither wait nor look at its tree. A PID namespace does not
// help: the keeper is in it. A filter does not know the caller's own number, so only 0 will do.
void judge_limits(os::SyscallFilter& filter) {
    add(filter, {"prlimit64", 302, 261}, fail_with(EPERM),
        {{{int_is(0, 0)}, let_through},
         {{long_bits_are(2, ~uint64_t{0}, 0)}, let_through}});  // only asks
}

// Without a PID namespace the processes of the same user are in reach: only what is about the
// caller (0), or about its own process group, is let through. PRIO_USER with 0 is everybody.
void judge_tuning(os::SyscallFilter& filter) {
    add(filter, {"setpriority", 141, 140}, fail_with(EPERM),
        {{{int_is(1, 0), int_is(0, PRIO_PROCESS)}, let_through},
         {{int_is(1, 0), int_is(0, PRIO_PGRP)}, let_through}});
    add(filter, {"ioprio_set", 251, 30}, fail_with(EPERM),
        {{{int_is(1, 0), int_is(0, IOPRIO_WHO_PROCESS)}, let_through},
         {{int_is(1, 0), int_is(0, IOPRIO_WHO_PGRP)}, let_through}});
    constexpr Syscall of_the_scheduler[] = {{"sched_setparam", 142, 118},
                                            {"sched_setscheduler", 144, 119},
                                            {"sched_setaffinity", 203, 122},
                                            {"sched_setattr", 314, 274}};
    for (const Syscall& call : of_the_scheduler)
        add(filter, call, fail_with(EPERM), {{{int_is(0, 0)}, let_through}});
}

// Threads that trace each other with PTRACE_O_TRACEEXIT cannot be killed. The witness can tell
// whether they would; strace needs the option.
void judge_tracing(os::SyscallFilter& filter, const SyscallPolicy& policy) {
    constexpr uint32_t old_set_options = 21;  // PTRACE_OLDSETOPTIONS of x86
    constexpr uint64_t trace_exit = PTRACE_O_TRACEEXIT;
    const uint32_t action = policy.witness ? os::ask_the_listener : fail_with(EPERM);
    Cases cases;
    for (const uint32_t request :
         {uint32_t{PTRACE_SEIZE}, uint32_t{PTRACE_SETOPTIONS}, old_set_options})
        cases.push_back({{int_is(0, request), long_bits_are(3, trace_exit, trace_exit)}, action});
    add(filter, {"ptrace", 101, 117}, let_through, std::move(cases));
}

bool has_rule(const os::SyscallFilter& filter, uint32_t number) {
    return std::ranges::any_of(filter.rules,
                               [&](const os::SyscallRule& rule) { return rule.number == number; });
}

// Where files are written, thousands of these belong to one command (rm -r, tar), and each would
// have to wait for an answer. None of them makes a name: the sentry counts on that.
// Removals and changes of metadata come by thousands.
bool is_told(const SyscallPolicy& policy, wire::Attempt attempt) {
    if (attempt == wire::Attempt::Metadata) return policy.witness_sees_all;
    if (attempt == wire::Attempt::Remove)
        return policy.witness_sees_all || policy.witness_sees_removals;
    return true;
}

// A file with such a bit lets everybody who can run it become its owner or group.
Cases with_privileged_mode(uint32_t mode, uint32_t bits, std::vector<ArgumentTest> if_also = {}) {
    Cases cases;
    for (const uint32_t bit : {uint32_t{S_ISUID}, uint32_t{S_ISGID}}) {
        if ((bits & bit) == 0) continue;
        std::vector<ArgumentTest> all_of = if_also;
        all_of.push_back(int_bits_are(mode, bit, bit));
        cases.push_back({std::move(all_of), fail_with(EPERM)});
    }
    return cases;
}

// Of a directory the bit for the group is ordinary: new files get its group. A filter cannot tell
// whether a name is one, so the witness is asked; without a witness directories cannot get the bit.
void judge_modes(os::SyscallFilter& filter, const SyscallPolicy& policy) {
    constexpr uint32_t on_files = S_ISUID | S_ISGID;
    const std::tuple<Syscall, uint32_t, uint32_t> calls[] = {
        {{"chmod", 90, no_such_call}, 1, S_ISUID},   {{"fchmod", 91, 52}, 1, S_ISUID},
        {{"fchmodat", 268, 53}, 2, S_ISUID},         {{"fchmodat2", 452, 452}, 2, S_ISUID},
        {{"mknod", 133, no_such_call}, 1, on_files}, {{"mknodat", 259, 33}, 2, on_files},
        {{"creat", 85, no_such_call}, 1, on_files}};
    for (const auto& [call, mode, bits] : calls) {
        const auto number = call.number(filter.arch);
        if (!number || has_rule(filter, *number)) continue;
        const bool is_watched = std::ranges::any_of(wire::watched_calls, [&](const auto& one) {
            return std::cmp_equal(filter.arch == AUDIT_ARCH_AARCH64 ? one.aarch64 : one.x86_64,
                                  *number) &&
                   is_told(policy, one.attempt);
        });
        Cases cases = with_privileged_mode(mode, bits);
        if (bits == S_ISUID && !policy.group_bit)
            cases.push_back({{int_bits_are(mode, S_ISGID, S_ISGID)},
                             policy.witness ? os::ask_the_listener : fail_with(EPERM)});
        add(filter, call, policy.witness && is_watched ? os::ask_the_listener : let_through,
            std::move(cases));
    }
}

// O_TRUNC empties a file that is opened for reading (or with access mode 3, for nothing), and
// an old Landlock only asks whether it may be read.
void judge_opening(os::SyscallFilter& filter, const SyscallPolicy& policy) {
    constexpr uint32_t truncation = O_ACCMODE | O_TRUNC;
    constexpr uint32_t writing = truncation | O_CREAT;
    constexpr uint32_t nameless = O_TMPFILE & ~O_DIRECTORY;
    for (const auto& [call, flags] : {std::pair(Syscall{"open", 2, no_such_call}, 1U),
                                      std::pair(Syscall{"openat", 257, 56}, 2U)}) {
        Cases cases;
        for (const uint32_t making : {uint32_t{O_CREAT}, nameless})
            for (ArgumentCase& one : with_privileged_mode(flags + 1, S_ISUID | S_ISGID,
                                                          {int_bits_are(flags, making, making)}))
                cases.push_back(std::move(one));
        if (policy.truncate_forbidden) {
            for (const uint32_t how : {uint32_t{O_RDONLY}, uint32_t{O_ACCMODE}})
                cases.push_back(
                    {{int_bits_are(flags, truncation, how | O_TRUNC)}, fail_with(EACCES)});
        }
        if (policy.witness) cases.push_back({{int_bits_are(flags, writing, 0)}, let_through});
        // Every bash begins with looking for a terminal like this, and files are not opened so.
        if (policy.witness && !policy.witness_sees_all)
            cases.push_back(
                {{int_bits_are(flags, O_CREAT | O_TRUNC | nameless | O_NONBLOCK, O_NONBLOCK)},
                 let_through});
        add(filter, call, policy.witness ? os::ask_the_listener : let_through, std::move(cases));
    }
}

// What goes on all the same, and may meet a wall.
void tell_witness(os::SyscallFilter& filter, const SyscallPolicy& policy) {
    for (const wire::WatchedCall& call : wire::watched_calls) {
        if (!is_told(policy, call.attempt)) continue;
        const bool connects = call.attempt == wire::Attempt::Connect;
        if (connects && (policy.sockets != Sockets::PrivateNetwork || policy.has_way_out)) continue;
        const int number = filter.arch == AUDIT_ARCH_AARCH64 ? call.aarch64 : call.x86_64;
        if (number < 0 || has_rule(filter, static_cast<uint32_t>(number))) continue;
        Cases cases;
        if (connects)  // without an address it is for whom one is connected to
            cases.push_back({{long_bits_are(static_cast<uint32_t>(call.address), ~uint64_t{0}, 0)},
                             let_through});
        filter.rules.push_back(
            {static_cast<uint32_t>(number), os::ask_the_listener, std::move(cases)});
    }
}

}  // namespace

os::SyscallFilter syscall_policy(const SyscallPolicy& policy, uint32_t arch) {
    os::SyscallFilter filter{.arch = arch, .highest_known = newest_call, .rules = {}};
    for (const RefusedCall& row : refused_calls())
        if (applies(row.when, policy)) add(filter, row.call, refuse(row.error, policy));
    judge_namespaces(filter, policy);
    judge_ioctl(filter, policy);
    judge_socket_options(filter);
    judge_sockets(filter, policy);
    judge_connections(filter, policy);
    judge_limits(filter);
    if (policy.tracing) judge_tracing(filter, policy);
    if (policy.witness && policy.one_user) judge_identity(filter);
    if (!policy.pid_namespace) judge_tuning(filter);
    judge_opening(filter, policy);
    judge_modes(filter, policy);
    if (policy.witness) tell_witness(filter, policy);
    return filter;
}

std::vector<wire::RefusedRow> rows_for_witness(const SyscallPolicy& policy, uint32_t arch) {
    std::vector<wire::RefusedRow> rows;
    const auto note = [&](const Syscall& call, int error) {
        if (const auto number = call.number(arch); number && is_told(error, policy))
            rows.push_back({static_cast<uint16_t>(*number), static_cast<uint16_t>(error)});
    };
    for (const RefusedCall& row : refused_calls())
        if (applies(row.when, policy)) note(row.call, row.error);
    note(clone_call, EPERM);
    note(unshare_call, EPERM);
    note(socket_call, error_of(policy.sockets));
    if (policy.one_user)
        for (const IdentityCall& one : identity_calls) note(one.call, EPERM);
    return rows;
}

std::string_view name_of_refused(uint32_t number) {
    for (const Syscall& call : {clone_call, unshare_call, socket_call})
        if (call.number(os::native_arch) == number) return call.name;
    for (const IdentityCall& one : identity_calls)
        if (one.call.number(os::native_arch) == number) return one.call.name;
    for (const RefusedCall& row : refused_calls())
        if (row.call.number(os::native_arch) == number) return row.call.name;
    return {};
}

}  // namespace husk::confine
