// A filter with a witness lets nothing pass that the same filter without one refuses: what it hands
// over is refused by the witness with the same error, or was allowed anyway.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>

#include "confine/sample_policies.h"
#include "confine/syscalls_table.h"

namespace husk::confine {
namespace {

using namespace sample;

constexpr uint32_t openat2 = 437;
constexpr uint64_t interesting[] = {0,     1,     2,  3,  0x40, 0x42,
                                    0x242, 04755, 10, 16, 38,   CLONE_NEWUSER};

// What the witness does with a call that it is told of (keeper/witness.cc).
uint32_t witness_says(uint32_t number, const std::vector<wire::RefusedRow>& rows) {
    for (const wire::RefusedRow& row : rows)
        if (row.number == number) return os::fail_with(row.error);
    for (const wire::WatchedCall& call : wire::watched_calls)
        if (wire::native_number(call) == static_cast<int>(number)) return os::let_through;
    return os::fail_with(EPERM);
}

TEST(WitnessPolicies, AnswerAsTheFilterAloneWould) {
    const auto alone = all_policies(false);
    const auto watched = all_policies(true);
    for (size_t i = 0; i < alone.size(); ++i) {
        const auto plain = os::compile(syscall_policy(alone[i]));
        const auto asking = os::compile(syscall_policy(watched[i]));
        const auto rows = rows_for_witness(watched[i]);
        ASSERT_TRUE(plain && asking);
        ASSERT_LE(rows.size(), wire::max_refused);
        for (uint32_t number = 0; number < 600; ++number) {
            for (const uint64_t first : interesting) {
                for (const uint64_t second : interesting) {
                    seccomp_data call{};
                    call.nr = static_cast<int>(number);
                    call.arch = os::native_arch;
                    std::ranges::copy(std::array{first, second, first, second, first, second},
                                      call.args);
                    const uint32_t before = os::evaluate(*plain, call);
                    uint32_t now = os::evaluate(*asking, call);
                    if (now == os::ask_the_listener) now = witness_says(number, rows);
                    ASSERT_EQ(before, now)
                        << "policy " << i << ", call " << number << ", " << first << ", " << second;
                }
            }
        }
    }
}

constexpr uint32_t openat = os::native_arch == AUDIT_ARCH_X86_64 ? 257 : 56;
constexpr uint32_t sendto = os::native_arch == AUDIT_ARCH_X86_64 ? 44 : 206;

uint32_t answer(const SyscallPolicy& policy, uint32_t number, std::vector<uint64_t> arguments) {
    const auto program = os::compile(syscall_policy(policy));
    EXPECT_TRUE(program);
    seccomp_data call{};
    call.nr = static_cast<int>(number);
    call.arch = os::native_arch;
    std::ranges::copy(arguments, call.args);
    return program ? os::evaluate(*program, call) : 0;
}

TEST(WitnessPolicies, TellOfWritingAndNotOfReading) {
    SyscallPolicy policy = all_policies(true)[0];
    policy.sockets = Sockets::PrivateNetwork;
    const auto is_told = [&](uint32_t number, std::vector<uint64_t> arguments) {
        return answer(policy, number, std::move(arguments)) == os::ask_the_listener;
    };
    EXPECT_FALSE(is_told(openat, {0, 0, 0}));
    EXPECT_FALSE(is_told(openat, {0, 0, 02000000}));  // O_CLOEXEC
    EXPECT_TRUE(is_told(openat, {0, 0, 1}));
    EXPECT_TRUE(is_told(openat, {0, 0, 0100}));   // O_CREAT
    EXPECT_TRUE(is_told(openat, {0, 0, 01000}));  // O_TRUNC
    EXPECT_FALSE(is_told(sendto, {3, 1, 1, 0, 0, 0}));
    EXPECT_TRUE(is_told(sendto, {3, 1, 1, 0, 1, 16}));
}

TEST(WitnessPolicies, DoNotTellOfTheTerminalThatBashLooksForWhereNotAllIsTold) {
    constexpr uint64_t like_bash = 2 | 04000;  // O_RDWR | O_NONBLOCK
    for (const SyscallPolicy& policy : all_policies(true)) {
        const auto is_told = [&](uint64_t flags) {
            return answer(policy, openat, {0, 0, flags}) == os::ask_the_listener;
        };
        EXPECT_EQ(is_told(like_bash), policy.witness_sees_all);
        EXPECT_TRUE(is_told(like_bash | 0100));   // O_CREAT
        EXPECT_TRUE(is_told(like_bash | 01000));  // O_TRUNC
        EXPECT_TRUE(is_told(like_bash | O_TMPFILE));
    }
}

struct AskedExample {
    const char* says;
    uint32_t number;
    std::vector<uint64_t> arguments;
    uint32_t answer;
};

TEST(WitnessPolicies, LeaveEveryConnectionToTheWitnessWhereItGivesUnixSockets) {
    constexpr uint32_t connect = os::native_arch == AUDIT_ARCH_X86_64 ? 42 : 203;
    constexpr uint32_t getsockopt = os::native_arch == AUDIT_ARCH_X86_64 ? 55 : 209;
    constexpr uint64_t flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
    constexpr uint64_t rubbish = 0xdeadbeef00000000;
    const AskedExample examples[] = {
        {"a stream", SYS_socket, {AF_UNIX, SOCK_STREAM | flags}, os::let_through},
        {"packets", SYS_socket, {rubbish | AF_UNIX, SOCK_SEQPACKET}, os::let_through},
        {"datagrams", SYS_socket, {AF_UNIX, SOCK_DGRAM | flags}, os::ask_the_listener},
        {"raw", SYS_socket, {AF_UNIX, SOCK_RAW}, os::ask_the_listener},
        {"a pair", SYS_socketpair, {AF_UNIX, SOCK_STREAM}, os::let_through},
        {"a pair for datagrams", SYS_socketpair, {AF_UNIX, SOCK_DGRAM}, os::ask_the_listener},
        {"a raw pair", SYS_socketpair, {AF_UNIX, SOCK_RAW | flags}, os::ask_the_listener},
        {"a pair of TIPC", SYS_socketpair, {AF_TIPC, SOCK_RDM}, os::fail_with(EPERM)},
        {"a connection", connect, {3, 4096, 16}, os::ask_the_listener},
        {"a connection to nothing", connect, {3, 0, 0}, os::ask_the_listener},
        {"the peer", getsockopt, {3, SOL_SOCKET, 77}, os::fail_with(ENOPROTOOPT)},
        {"its rights", getsockopt, {3, SOL_SOCKET, SO_PEERCRED}, os::let_through},
    };
    for (SyscallPolicy policy : all_policies(true)) {
        if (policy.sockets != Sockets::None && policy.sockets != Sockets::PrivateNetwork) continue;
        policy.unix_sockets = UnixSockets::ThroughWitness;
        for (const AskedExample& one : examples)
            EXPECT_EQ(answer(policy, one.number, one.arguments), one.answer) << one.says;
    }
}

TEST(WitnessPolicies, AreNotAskedAboutAddressesWhereTheNetworkIsOpen) {
    SyscallPolicy policy = all_policies(true)[0];
    policy.sockets = Sockets::PrivateNetwork;
    policy.has_way_out = true;
    EXPECT_EQ(answer(policy, sendto, {3, 1, 1, 0, 1, 16}), os::let_through);
}

TEST(WitnessPolicies, HaveNoCallThatHidesHowAFileIsOpened) {
    for (const SyscallPolicy& policy : all_policies(true))
        EXPECT_EQ(answer(policy, openat2, {}), os::fail_with(ENOSYS));
}

}  // namespace
}  // namespace husk::confine
