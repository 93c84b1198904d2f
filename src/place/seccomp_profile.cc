#include "place/seccomp_profile.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "confine/syscalls.h"
#include "confine/syscalls_table.h"

namespace husk::place {
namespace {

using os::ArgumentCase;
using os::ArgumentTest;

constexpr uint64_t lower_half = 0xffffffff;
constexpr uint32_t data_of_action = 0xffff;

uint64_t mask_of(const ArgumentTest& test) {
    return test.width == os::Width::Int ? test.mask & lower_half : test.mask;
}

Json condition(uint32_t argument, uint64_t mask, uint64_t value) {
    return {{"index", argument},
            {"value", mask},
            {"valueTwo", value & mask},
            {"op", "SCMP_CMP_MASKED_EQ"}};
}

Json allowed(std::string_view name, Json conditions) {
    return {{"names", {name}}, {"action", "SCMP_ACT_ALLOW"}, {"args", std::move(conditions)}};
}

// The bits in the mask are fixed.
struct Pattern {
    uint64_t mask = 0;
    uint64_t value = 0;
};

// One for each argument of a call.
using Patterns = std::array<Pattern, 6>;

Patterns patterns_of(const ArgumentCase& one) {
    Patterns all{};
    for (const ArgumentTest& test : one.all_of)
        all[test.argument] = {mask_of(test), test.value & mask_of(test)};
    return all;
}

bool can_meet(const Patterns& one, const Patterns& other) {
    for (size_t i = 0; i < one.size(); ++i)
        if (((one[i].value ^ other[i].value) & one[i].mask & other[i].mask) != 0) return false;
    return true;
}

bool is_part_of(const Patterns& part, const Patterns& whole) {
    for (size_t i = 0; i < whole.size(); ++i)
        if ((whole[i].mask & ~part[i].mask) != 0) return false;
    return can_meet(whole, part);
}

struct Bit {
    size_t argument = 0;
    uint64_t mask = 0;
};

// The bit, not fixed in `part`, that the most patterns fix: so few parts are made.
Bit bit_to_divide(const std::vector<Patterns>& patterns, const Patterns& part) {
    Bit best;
    std::ptrdiff_t most = 0;
    for (size_t i = 0; i < part.size(); ++i)
        for (uint64_t bit = 1; bit != 0; bit <<= 1U) {
            if ((part[i].mask & bit) != 0) continue;
            const auto fixed = std::ranges::count_if(
                patterns, [&](const Patterns& one) { return (one[i].mask & bit) != 0; });
            if (fixed > most) best = {i, bit};
            most = std::max(most, fixed);
        }
    return best;
}

// Adds the parts of `part` that no pattern matches. A profile has no "and not", so the calls are
// divided, bit by bit, until a part is refused as a whole or not at all.
void add_rest(const std::vector<Patterns>& refused, const Patterns& part,
              std::vector<Patterns>& rest) {
    std::vector<Patterns> meeting;
    std::ranges::copy_if(refused, std::back_inserter(meeting),
                         [&](const Patterns& one) { return can_meet(one, part); });
    if (meeting.empty()) return rest.push_back(part);
    for (const Patterns& one : meeting)
        if (is_part_of(part, one)) return;
    const Bit bit = bit_to_divide(meeting, part);
    for (const uint64_t value : {uint64_t{0}, bit.mask}) {
        Patterns half = part;
        half[bit.argument].mask |= bit.mask;
        half[bit.argument].value |= value;
        add_rest(meeting, half, rest);
    }
}

// A call that is allowed but for some arguments. The first case that holds decides.
void add_all_but(std::string_view name, const std::vector<ArgumentCase>& cases, Json& rules) {
    std::vector<Patterns> refused;
    std::vector<Patterns> rest;
    for (const ArgumentCase& one : cases) {
        if (one.action == os::let_through)
            add_rest(refused, patterns_of(one), rest);
        else
            refused.push_back(patterns_of(one));
    }
    add_rest(refused, {}, rest);
    for (const Patterns& part : rest) {
        Json conditions = Json::array();
        for (uint32_t i = 0; i < part.size(); ++i)
            if (part[i].mask != 0) conditions.push_back(condition(i, part[i].mask, part[i].value));
        rules.push_back(allowed(name, std::move(conditions)));
    }
}

void add_conditional(std::string_view name, const os::SyscallRule& rule, Json& rules) {
    if (rule.action == os::let_through) return add_all_but(name, rule.cases, rules);
    for (const ArgumentCase& one : rule.cases) {
        if (one.action != os::let_through) continue;
        Json conditions = Json::array();
        for (const ArgumentTest& test : one.all_of)
            conditions.push_back(condition(test.argument, mask_of(test), test.value));
        rules.push_back(allowed(name, std::move(conditions)));
    }
}

}  // namespace

Json seccomp_profile(const os::SyscallFilter& filter) {
    std::map<uint32_t, const os::SyscallRule*> judged;
    for (const os::SyscallRule& rule : filter.rules) judged[rule.number] = &rule;
    Json always = Json::array();
    Json missing = Json::array();
    Json rules = Json::array();
    for (const confine::Syscall& call : confine::all_calls()) {
        const auto number = call.number(filter.arch);
        if (!number || *number > filter.highest_known) continue;
        const auto rule = judged.find(*number);
        if (rule == judged.end())
            always.push_back(call.name);
        else if (!rule->second->cases.empty())
            add_conditional(call.name, *rule->second, rules);
        else if ((rule->second->action & data_of_action) == ENOSYS)
            missing.push_back(call.name);
    }
    rules.push_back({{"names", std::move(always)}, {"action", "SCMP_ACT_ALLOW"}});
    rules.push_back(
        {{"names", std::move(missing)}, {"action", "SCMP_ACT_ERRNO"}, {"errnoRet", ENOSYS}});
    const bool is_arm = filter.arch == AUDIT_ARCH_AARCH64;
    return {{"defaultAction", "SCMP_ACT_ERRNO"},
            {"defaultErrnoRet", EPERM},
            {"architectures", {is_arm ? "SCMP_ARCH_AARCH64" : "SCMP_ARCH_X86_64"}},
            {"syscalls", std::move(rules)}};
}

Json container_profile() {
    return seccomp_profile(confine::syscall_policy({.metadata_forbidden = false,
                                                    .sockets = confine::Sockets::PrivateNetwork,
                                                    .pid_namespace = true,
                                                    .ipc_namespace = true,
                                                    .truncate_forbidden = false,
                                                    .group_bit = true}));
}

}  // namespace husk::place
