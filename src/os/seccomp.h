// A seccomp filter as a value: what becomes of each system call, the program that the kernel
// runs to find that out, and the same program run here.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace husk::os {

#if defined(__x86_64__)
inline constexpr uint32_t native_arch = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
inline constexpr uint32_t native_arch = AUDIT_ARCH_AARCH64;
#else
#error "the filter knows x86-64 and aarch64"
#endif

inline constexpr uint32_t let_through = SECCOMP_RET_ALLOW;
constexpr uint32_t fail_with(int error) {
    return SECCOMP_RET_ERRNO | (static_cast<uint32_t>(error) & SECCOMP_RET_DATA);
}

// The process that holds the filter's listener is asked; without one the call does not exist.
inline constexpr uint32_t ask_the_listener = SECCOMP_RET_USER_NOTIF;

// How much of the register the kernel looks at. With Int the upper half is rubbish that a
// program may choose: a test of all 64 bits would not recognise TIOCSTI with a bit set there.
enum class Width { Int, Long };
enum class Relation { Equal, NotEqual };

// Holds if (argument & mask) is, or is not, the value.
struct ArgumentTest {
    uint32_t argument;  // 0 to 5
    Width width;
    uint64_t value;
    uint64_t mask = ~uint64_t{0};
    Relation relation = Relation::Equal;
};

struct ArgumentCase {
    std::vector<ArgumentTest> all_of;
    uint32_t action;
};

struct SyscallRule {
    uint32_t number;
    uint32_t action;                       // when no case holds
    std::vector<ArgumentCase> cases = {};  // the first that holds decides
};

// What no rule names is let through, up to the highest number that the author of the rules
// knew. Numbers above it (those of x32 too) and calls of another architecture do not exist.
struct SyscallFilter {
    uint32_t arch;
    uint32_t highest_known;
    std::vector<SyscallRule> rules;
};

// The kernel runs the program for every number there is when it is installed, and for calls
// with cases later: so it is a search tree, in which neighbours with one action are one leaf.
Result<std::vector<sock_filter>> compile(const SyscallFilter& filter);

// What the kernel would do with the call. A program that this does not understand kills.
uint32_t evaluate(std::span<const sock_filter> program, const seccomp_data& call);

}  // namespace husk::os
