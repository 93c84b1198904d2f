#include "os/seccomp.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace husk::os {
namespace {

constexpr uint32_t half_mask = ~uint32_t{0};
constexpr uint32_t first_of_x32 = 0x40000000;

uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32U); }

// Both architectures have the lower half first.
uint32_t offset_of(uint32_t argument) {
    return static_cast<uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(uint64_t));
}

// Writes a program from its end to its beginning. All jumps go forward, so the place where one
// leads to is always there already.
class Writer {
public:
    using Place = size_t;  // of a step: how many there are from it to the end, itself included

    Place end_with(uint32_t action) {
        const auto known = ends_.find(action);
        if (known != ends_.end() && is_near(known->second)) return known->second;
        return ends_[action] = write(BPF_RET | BPF_K, action);
    }

    // These two go on with the step that was written before them.
    Place load(size_t offset) {
        return write(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
    }
    Place keep_bits(uint32_t mask) { return write(BPF_ALU | BPF_AND | BPF_K, mask); }

    Place branch(uint32_t comparison, uint32_t operand, Place yes, Place no) {
        if (yes == no) return yes;
        yes = brought_near(yes);
        no = brought_near(no);
        const auto to_yes = static_cast<uint8_t>(steps_.size() - yes);
        const auto to_no = static_cast<uint8_t>(steps_.size() - no);
        return write(BPF_JMP | comparison | BPF_K, operand, to_yes, to_no);
    }

    // What is written next goes on there.
    void continue_at(Place place) {
        if (place != steps_.size())
            write(BPF_JMP | BPF_JA, static_cast<uint32_t>(steps_.size() - place));
    }

    std::vector<sock_filter> program() && {
        std::ranges::reverse(steps_);
        return std::move(steps_);
    }

private:
    // A branch reaches 255 steps; two fewer, as both of its ends may have to be brought near.
    static constexpr size_t reach = 253;

    bool is_near(Place place) const { return steps_.size() - place <= reach; }

    Place brought_near(Place place) {
        if (is_near(place)) return place;
        return write(BPF_JMP | BPF_JA, static_cast<uint32_t>(steps_.size() - place));
    }

    Place write(uint32_t code, uint32_t operand, uint8_t yes = 0, uint8_t no = 0) {
        steps_.push_back({static_cast<uint16_t>(code), yes, no, operand});
        return steps_.size();
    }

    std::vector<sock_filter> steps_;  // the last one first
    std::map<uint32_t, Place> ends_;
};

using Place = Writer::Place;

Place test_half(Writer& out, size_t offset, uint32_t mask, uint32_t value, Place yes, Place no) {
    if (mask == 0 || yes == no) return yes;
    out.branch(BPF_JEQ, value, yes, no);
    if (mask != half_mask) out.keep_bits(mask);
    return out.load(offset);
}

Place test_argument(Writer& out, const ArgumentTest& test, Place holds, Place fails) {
    const bool equal = test.relation == Relation::Equal;
    const Place yes = equal ? holds : fails;
    const Place no = equal ? fails : holds;
    const size_t offset = offset_of(test.argument);
    const Place lower = test_half(out, offset, low(test.mask), low(test.value), yes, no);
    if (test.width == Width::Int) return lower;
    return test_half(out, offset + sizeof(uint32_t), high(test.mask), high(test.value), lower, no);
}

Place decide_by_arguments(Writer& out, const SyscallRule& rule) {
    Place next = out.end_with(rule.action);
    for (size_t i = rule.cases.size(); i-- > 0;) {
        const ArgumentCase& one = rule.cases[i];
        Place begin = out.end_with(one.action);
        for (size_t t = one.all_of.size(); t-- > 0;)
            begin = test_argument(out, one.all_of[t], begin, next);
        next = begin;
    }
    return next;
}

// Numbers from `first` up to the next range, which all have the same fate.
struct Range {
    uint32_t first;
    uint32_t action;
    const SyscallRule* with_cases = nullptr;

    bool same_fate(const Range& other) const {
        return with_cases == nullptr && other.with_cases == nullptr && action == other.action;
    }
};

std::vector<Range> ranges_of(const std::vector<SyscallRule>& sorted, uint32_t highest_known) {
    std::vector<Range> ranges;
    const auto add = [&ranges](const Range& next) {
        if (ranges.empty() || !ranges.back().same_fate(next)) ranges.push_back(next);
    };
    uint32_t number = 0;
    for (const SyscallRule& rule : sorted) {
        if (rule.number > number) add({number, let_through});
        add({rule.number, rule.action, rule.cases.empty() ? nullptr : &rule});
        number = rule.number + 1;
    }
    if (number <= highest_known) add({number, let_through});
    add({highest_known + 1, fail_with(ENOSYS)});
    return ranges;
}

Place search(Writer& out, std::span<const Range> ranges,
             const std::map<const SyscallRule*, Place>& places) {
    if (ranges.size() == 1) {
        const Range& only = ranges.front();
        return only.with_cases != nullptr ? places.at(only.with_cases) : out.end_with(only.action);
    }
    const size_t middle = ranges.size() / 2;
    const Place upper = search(out, ranges.subspan(middle), places);
    const Place lower = search(out, ranges.first(middle), places);
    return out.branch(BPF_JGE, ranges[middle].first, upper, lower);
}

const char* what_is_wrong(const ArgumentTest& test) {
    const bool is_int = test.width == Width::Int;
    if (test.argument >= std::size(seccomp_data{}.args)) return "there is no such argument";
    if ((test.value & ~test.mask) != 0) return "the mask removes bits of the value";
    if (is_int && high(test.value) != 0) return "the value is larger than an int";
    if ((is_int ? low(test.mask) : test.mask) == 0) return "the mask is empty";
    return nullptr;
}

const char* what_is_wrong(const SyscallRule& rule, uint32_t highest_known) {
    if (rule.number > highest_known) return "the number is above the highest known one";
    for (const ArgumentCase& one : rule.cases) {
        if (one.all_of.empty()) return "a case tests nothing";
        for (const ArgumentTest& test : one.all_of)
            if (const char* wrong = what_is_wrong(test)) return wrong;
    }
    return nullptr;
}

std::unexpected<Error> refused(const std::string& subject, const char* why) {
    return failure("seccomp filter", EINVAL, subject + ": " + why);
}

Result<void> check(const std::vector<SyscallRule>& sorted, uint32_t highest_known) {
    const SyscallRule* before = nullptr;
    for (const SyscallRule& rule : sorted) {
        const char* wrong = what_is_wrong(rule, highest_known);
        if (before != nullptr && before->number == rule.number) wrong = "two rules";
        if (wrong != nullptr) return refused("system call " + std::to_string(rule.number), wrong);
        before = &rule;
    }
    return {};
}

}  // namespace

Result<std::vector<sock_filter>> compile(const SyscallFilter& filter) {
    std::vector<SyscallRule> sorted = filter.rules;
    std::ranges::sort(sorted, {}, &SyscallRule::number);
    if (filter.highest_known >= first_of_x32) return refused("highest number", "one of x32");
    CHECK(check(sorted, filter.highest_known));

    Writer out;
    std::map<const SyscallRule*, Place> places;
    for (const SyscallRule& rule : sorted)
        if (!rule.cases.empty()) places[&rule] = decide_by_arguments(out, rule);
    out.continue_at(search(out, ranges_of(sorted, filter.highest_known), places));
    const Place start = out.load(offsetof(seccomp_data, nr));
    out.branch(BPF_JEQ, filter.arch, start, out.end_with(fail_with(ENOSYS)));
    out.load(offsetof(seccomp_data, arch));

    std::vector<sock_filter> program = std::move(out).program();
    if (program.size() > BPF_MAXINSNS) return refused("program", "too many steps for the kernel");
    return program;
}

uint32_t evaluate(std::span<const sock_filter> program, const seccomp_data& call) {
    uint32_t value = 0;
    for (size_t at = 0; at < program.size(); ++at) {
        const sock_filter& step = program[at];
        switch (step.code) {
            case BPF_LD | BPF_W | BPF_ABS:
                if (step.k > sizeof call - sizeof value) return SECCOMP_RET_KILL_PROCESS;
                std::memcpy(&value, reinterpret_cast<const char*>(&call) + step.k, sizeof value);
                break;
            case BPF_ALU | BPF_AND | BPF_K: value &= step.k; break;
            case BPF_JMP | BPF_JA: at += step.k; break;
            case BPF_JMP | BPF_JEQ | BPF_K: at += value == step.k ? step.jt : step.jf; break;
            case BPF_JMP | BPF_JGE | BPF_K: at += value >= step.k ? step.jt : step.jf; break;
            case BPF_RET | BPF_K: return step.k;
            default: return SECCOMP_RET_KILL_PROCESS;
        }
    }
    return SECCOMP_RET_KILL_PROCESS;
}

}  // namespace husk::os
