#include "place/seccomp_profile.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <string>

#include "confine/syscalls.h"
#include "confine/syscalls_table.h"

namespace husk::place {
namespace {

using Arguments = std::array<uint64_t, 6>;

constexpr confine::SyscallPolicy policy{.metadata_forbidden = false,
                                        .sockets = confine::Sockets::PrivateNetwork,
                                        .pid_namespace = true,
                                        .ipc_namespace = true,
                                        .truncate_forbidden = false};

bool holds(const Json& conditions, const Arguments& arguments) {
    return std::ranges::all_of(conditions, [&](const Json& one) {
        const uint64_t mask = one["value"];
        return (arguments[one["index"].get<size_t>()] & mask) == one["valueTwo"];
    });
}

// As an engine reads it: any rule that holds allows the call.
bool is_allowed(const Json& profile, std::string_view name, const Arguments& arguments) {
    return std::ranges::any_of(profile["syscalls"], [&](const Json& rule) {
        return rule["action"] == "SCMP_ACT_ALLOW" &&
               std::ranges::find(rule["names"], name) != rule["names"].end() &&
               holds(rule.value("args", Json::array()), arguments);
    });
}

bool is_allowed_by_kernel(const std::vector<sock_filter>& program, uint32_t number,
                          const Arguments& arguments) {
    seccomp_data call{};
    call.nr = static_cast<int>(number);
    call.arch = os::native_arch;
    std::ranges::copy(arguments, std::begin(call.args));
    return os::evaluate(program, call) == os::let_through;
}

constexpr uint64_t above = uint64_t{1} << 40;  // in the half that the kernel does not look at

// What is judged by its arguments, and what is not, allowed or not.
const Arguments tried[] = {
    {},
    {0, TIOCSTI},
    {0, TIOCSTI | above},
    {0, TIOCGWINSZ},
    {0, TIOCLINUX},
    {0, FICLONE},
    {0, FIDEDUPERANGE},
    {0, 0x50009401},  // BTRFS_IOC_SNAP_CREATE
    {0, 0x4038586b},  // XFS_IOC_OPEN_BY_HANDLE
    {0, 0x401066ff},  // an ioctl of ext4 that nobody knows
    {AF_INET, SOCK_STREAM},
    {AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC},
    {AF_INET, SOCK_RAW, 1},
    {AF_UNIX, SOCK_STREAM},
    {AF_UNIX, SOCK_DGRAM},
    {AF_NETLINK, SOCK_RAW, 0},
    {AF_NETLINK, SOCK_RAW, 12},
    {AF_ALG, SOCK_SEQPACKET},
    {CLONE_NEWUSER},
    {CLONE_FILES},
    {CLONE_VM | CLONE_THREAD | CLONE_SIGHAND},
    {0, 04755},
    {0, 02755},
    {0, 0755},
    {0, 0, 04755},
    {0, 0, 02755},
    {0, O_CREAT, 04755},
    {0, O_CREAT, 0644},
    {0, 0, O_CREAT | O_WRONLY, 02755},
    {0, 0, O_CREAT | O_WRONLY, 0644},
    {0, 0, O_TMPFILE | O_RDWR, 04755},
    {0, 0, O_RDONLY, 04755},
};

TEST(SeccompProfile, AllowsWhatTheFilterOfTheHostAllows) {
    const os::SyscallFilter filter = confine::syscall_policy(policy);
    const auto program = os::compile(filter);
    ASSERT_TRUE(program);
    const Json profile = seccomp_profile(filter);
    for (const confine::Syscall& call : confine::all_calls()) {
        const auto number = call.number(os::native_arch);
        if (!number) continue;
        for (size_t i = 0; i < std::size(tried); ++i)
            EXPECT_EQ(is_allowed(profile, call.name, tried[i]),
                      is_allowed_by_kernel(*program, *number, tried[i]))
                << call.name << " with arguments " << i;
    }
}

TEST(SeccompProfile, RefusesWhatItDoesNotName) {
    const Json profile = container_profile();
    EXPECT_EQ(profile["defaultAction"], "SCMP_ACT_ERRNO");
    EXPECT_EQ(profile["architectures"].size(), 1U);
    for (const char* name : {"mount", "ptrace", "bpf", "io_uring_setup", "keyctl", "unheard_of"})
        EXPECT_FALSE(is_allowed(profile, name, {})) << name;
}

// An engine takes a profile of some hundred kilobytes, but each container has to compile it.
TEST(SeccompProfile, IsSmall) { EXPECT_LT(container_profile().dump().size(), 64U << 10); }

TEST(SeccompProfile, KnowsTheNumbersOfTheTable) {
    for (const confine::RefusedCall& row : confine::refused_calls()) {
        const auto known =
            std::ranges::find(confine::all_calls(), row.call.name, &confine::Syscall::name);
        ASSERT_NE(known, confine::all_calls().end()) << row.call.name;
        EXPECT_EQ(known->x86_64, row.call.x86_64) << row.call.name;
        EXPECT_EQ(known->aarch64, row.call.aarch64) << row.call.name;
    }
}

}  // namespace
}  // namespace husk::place
