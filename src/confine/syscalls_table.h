// The system calls that the policy names, with their numbers on both machines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace husk::confine {

// The newest call whose effects were considered: file_setattr of Linux 6.17. Numbers are
// literals everywhere, so that old headers do; from 424 on they are the same on both machines.
inline constexpr uint32_t newest_call = 469;

inline constexpr int no_such_call = -1;

struct Syscall {
    std::string_view name;
    int x86_64;
    int aarch64;

    std::optional<uint32_t> number(uint32_t arch) const;
};

enum class When {
    Always,
    WithoutMountNamespace,
    WithoutIpcNamespace,
    WithoutTruncateRight,
    WithoutTracing,
};

struct RefusedCall {
    Syscall call;
    int error;
    When when = When::Always;
};

// All calls up to the newest.
std::span<const Syscall> all_calls();

// The calls that are refused whatever their arguments.
std::span<const RefusedCall> refused_calls();

}  // namespace husk::confine
