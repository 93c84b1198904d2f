// Policies as walls ask for them, and what they answer: for tests.
#pragma once

#include <sys/syscall.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "confine/syscalls.h"

namespace husk::confine::sample {

inline constexpr SyscallPolicy walled = {.metadata_forbidden = false,
                                         .sockets = Sockets::PrivateNetwork,
                                         .pid_namespace = true,
                                         .ipc_namespace = true,
                                         .truncate_forbidden = false};
inline constexpr SyscallPolicy bare = {.metadata_forbidden = true,
                                       .sockets = Sockets::None,
                                       .pid_namespace = false,
                                       .ipc_namespace = false,
                                       .truncate_forbidden = true};

inline SyscallPolicy with(Sockets sockets) {
    SyscallPolicy policy = walled;
    policy.sockets = sockets;
    return policy;
}

// Every kind of sockets with every kind of machine.
inline std::vector<SyscallPolicy> all_policies(bool witness = false) {
    std::vector<SyscallPolicy> all;
    for (const Sockets sockets :
         {Sockets::None, Sockets::Unix, Sockets::Network, Sockets::PrivateNetwork})
        for (unsigned bits = 0; bits < 16; ++bits)
            all.push_back({.metadata_forbidden = (bits & 1) != 0,
                           .sockets = sockets,
                           .pid_namespace = (bits & 2) != 0,
                           .ipc_namespace = (bits & 4) != 0,
                           .truncate_forbidden = (bits & 8) != 0,
                           .witness = witness,
                           .witness_sees_all = witness && (bits & 1) != 0});
    return all;
}

inline std::vector<sock_filter> program_of(const SyscallPolicy& policy,
                                           uint32_t arch = os::native_arch) {
    return os::compile(syscall_policy(policy, arch)).value();
}

using Arguments = std::vector<uint64_t>;

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
    husk::confine::sample::Named { #name, SYS_##name }

struct Example {
    Named call;
    Arguments arguments;
    int error;
};

// Those that the policy answers otherwise, a line each.
inline std::string otherwise(const SyscallPolicy& policy, const std::vector<Example>& examples) {
    const Answers answers(policy);
    std::string lines;
    for (const Example& one : examples) {
        const int error = answers(one.call.number, one.arguments);
        if (error == one.error) continue;
        lines += one.call.name;
        for (const uint64_t argument : one.arguments) lines += " " + std::to_string(argument);
        lines += ": " + std::to_string(error) + ", not " + std::to_string(one.error) + "\n";
    }
    return lines;
}

}  // namespace husk::confine::sample
