#include "os/seccomp.h"

#include <gmock/gmock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <random>

namespace husk::os {
namespace {

using testing::HasSubstr;

constexpr uint32_t highest = 500;
constexpr uint32_t other_arch =
    native_arch == AUDIT_ARCH_X86_64 ? AUDIT_ARCH_AARCH64 : AUDIT_ARCH_X86_64;

seccomp_data call(uint32_t number, const std::vector<uint64_t>& arguments = {}) {
    seccomp_data data{};
    data.nr = static_cast<int>(number);
    data.arch = native_arch;
    std::ranges::copy(arguments, data.args);
    return data;
}

SyscallFilter filter(std::vector<SyscallRule> rules) {
    return {.arch = native_arch, .highest_known = highest, .rules = std::move(rules)};
}

std::vector<sock_filter> compiled(const SyscallFilter& from) {
    const auto program = compile(from);
    EXPECT_TRUE(program) << program.error().text();
    return program.value_or(std::vector<sock_filter>{});
}

uint32_t fate(const SyscallFilter& by, const seccomp_data& of) {
    return evaluate(compiled(by), of);
}

TEST(SyscallFilter, LetsThroughWhatItDoesNotName) {
    const auto by = filter({{7, fail_with(EPERM)}});
    EXPECT_EQ(fate(by, call(6)), let_through);
    EXPECT_EQ(fate(by, call(7)), fail_with(EPERM));
    EXPECT_EQ(fate(by, call(8)), let_through);
    EXPECT_EQ(fate(filter({}), call(0)), let_through);
}

TEST(SyscallFilter, KnowsNoCallAboveTheHighest) {
    const auto by = filter({{highest, fail_with(EPERM)}});
    EXPECT_EQ(fate(by, call(highest - 1)), let_through);
    EXPECT_EQ(fate(by, call(highest)), fail_with(EPERM));
    EXPECT_EQ(fate(by, call(highest + 1)), fail_with(ENOSYS));
    EXPECT_EQ(fate(by, call(0x40000000 + 6)), fail_with(ENOSYS));  // x32
    EXPECT_EQ(fate(by, call(~0U)), fail_with(ENOSYS));
}

TEST(SyscallFilter, KnowsNoCallOfAnotherArchitecture) {
    auto foreign = call(6);
    for (const uint32_t arch : {uint32_t{AUDIT_ARCH_I386}, uint32_t{AUDIT_ARCH_ARM}, other_arch}) {
        foreign.arch = arch;
        EXPECT_EQ(fate(filter({{7, fail_with(EPERM)}}), foreign), fail_with(ENOSYS));
    }
}

struct Example {
    const char* says;
    ArgumentTest test;
    uint64_t argument;
    bool holds;
};

TEST(SyscallFilter, TestsArguments) {
    using enum Width;
    using enum Relation;
    constexpr uint64_t large = 0x1234567887654321;
    const Example examples[] = {
        {"an int is itself", {2, Int, 5}, 5, true},
        {"an int is not another", {2, Int, 5}, 6, false},
        {"the upper half of an int is rubbish", {2, Int, 5}, 0xdead00000005, true},
        {"a long is itself", {2, Long, large}, large, true},
        {"a long differs in its lower half", {2, Long, large}, large + 1, false},
        {"a long differs in its upper half", {2, Long, large}, large + (1ULL << 32), false},
        {"a small long differs in its upper half", {2, Long, 5}, 0x100000005, false},
        {"a negative int", {2, Int, 0xffffffff}, ~0ULL, true},

        {"not equal", {2, Int, 5, ~0ULL, NotEqual}, 6, true},
        {"not not equal", {2, Int, 5, ~0ULL, NotEqual}, 5, false},
        {"not not equal, with rubbish", {2, Int, 5, ~0ULL, NotEqual}, 0x700000005, false},
        {"long not equal below", {2, Long, large, ~0ULL, NotEqual}, large - 1, true},
        {"long not equal above", {2, Long, large, ~0ULL, NotEqual}, large - (1ULL << 40), true},
        {"long not not equal", {2, Long, large, ~0ULL, NotEqual}, large, false},

        {"no bit of the mask", {2, Int, 0, 0xf0}, 0x0f, true},
        {"a bit of the mask", {2, Int, 0, 0xf0}, 0x1f, false},
        {"these bits of the mask", {2, Int, 0x30, 0xf0}, 0x3f, true},
        {"mask of an int, with rubbish", {2, Int, 0x30, 0xf0}, 0xffffffff0000003f, true},
        {"mask in the upper half", {2, Long, 0x300000000, 0xf00000000}, 0x3ffffffff, true},
        {"another in the upper half", {2, Long, 0x300000000, 0xf00000000}, 0x7ffffffff, false},
        {"mask over both halves", {2, Long, 0, ~0xffULL}, 0xff, true},
        {"a bit above the mask's hole", {2, Long, 0, ~0xffULL}, 1ULL << 63, false},
        {"a bit just above it", {2, Long, 0, ~0xffULL}, 0x100, false},
        {"masked not equal", {2, Long, 0, ~0xffULL, NotEqual}, 0x100, true},
        {"masked not not equal", {2, Long, 0, ~0xffULL, NotEqual}, 0xff, false},
    };
    for (const Example& one : examples) {
        const auto by = filter({{7, fail_with(EPERM), {{{one.test}, fail_with(EROFS)}}}});
        const auto expected = one.holds ? fail_with(EROFS) : fail_with(EPERM);
        EXPECT_EQ(fate(by, call(7, {99, 98, one.argument, 97})), expected) << one.says;
        EXPECT_EQ(fate(by, call(8, {99, 98, one.argument, 97})), let_through) << one.says;
    }
}

TEST(SyscallFilter, TakesTheFirstCaseOfWhichAllTestsHold) {
    const auto by =
        filter({{7,
                 fail_with(EPERM),
                 {{{{0, Width::Int, 1}, {1, Width::Long, 2}}, let_through},
                  {{{0, Width::Int, 1}}, fail_with(EROFS)},
                  {{{5, Width::Long, 3}, {0, Width::Int, 4}, {1, Width::Int, 5}}, let_through}}}});
    EXPECT_EQ(fate(by, call(7, {1, 2})), let_through);
    EXPECT_EQ(fate(by, call(7, {1, 3})), fail_with(EROFS));
    EXPECT_EQ(fate(by, call(7, {4, 5, 0, 0, 0, 3})), let_through);
    EXPECT_EQ(fate(by, call(7, {4, 6, 0, 0, 0, 3})), fail_with(EPERM));
    EXPECT_EQ(fate(by, call(7, {2, 2})), fail_with(EPERM));
}

TEST(SyscallFilter, IsRefusedIfItMakesNoSense) {
    const auto with = [](const ArgumentTest& test) {
        return filter({{7, let_through, {{{test}, fail_with(EPERM)}}}});
    };
    const std::pair<SyscallFilter, const char*> wrong[] = {
        {filter({{7, let_through}, {8, let_through}, {7, fail_with(EPERM)}}), "call 7: two rules"},
        {filter({{highest + 1, let_through}}), "above the highest"},
        {filter({{7, let_through, {{{}, let_through}}}}), "tests nothing"},
        {with({6, Width::Int, 0}), "no such argument"},
        {with({0, Width::Int, 1ULL << 32}), "larger than an int"},
        {with({0, Width::Long, 3, 1}), "removes bits"},
        {with({0, Width::Long, 0, 0}), "the mask is empty"},
        {with({0, Width::Int, 0, 1ULL << 32}), "the mask is empty"},
        {{native_arch, 0x40000000, {}}, "x32"},
    };
    for (const auto& [by, why] : wrong) {
        const auto program = compile(by);
        ASSERT_FALSE(program) << why;
        EXPECT_THAT(program.error().text(), HasSubstr(why));
    }
}

TEST(SyscallFilter, MayBecomeTooLongForTheKernel) {
    std::vector<SyscallRule> rules;
    for (uint32_t number = 0; number < highest; ++number) {
        const ArgumentTest test{0, Width::Long, ~0ULL - number, ~0ULL - number};
        rules.push_back({number, let_through, {{{test, test}, fail_with(EPERM)}}});
    }
    const auto program = compile(filter(rules));
    ASSERT_FALSE(program);
    EXPECT_THAT(program.error().text(), HasSubstr("too many steps"));
}

TEST(SyscallFilter, HasOneLeafForNeighbours) {
    std::vector<SyscallRule> neighbours;
    for (uint32_t number = 100; number < 200; ++number)
        neighbours.push_back({number, fail_with(EPERM)});
    EXPECT_EQ(compiled(filter(neighbours)).size(),
              compiled(filter({{100, fail_with(EPERM)}})).size());
}

// The most steps from the beginning to an end: all jumps go forward.
size_t longest_way(const std::vector<sock_filter>& program) {
    std::vector<size_t> from(program.size() + 1);
    for (size_t i = program.size(); i-- > 0;) {
        const sock_filter& step = program[i];
        size_t next = from[i + 1];
        if (step.code == (BPF_RET | BPF_K)) next = 0;
        if (step.code == (BPF_JMP | BPF_JA)) next = from[i + 1 + step.k];
        if (step.code == (BPF_JMP | BPF_JGE | BPF_K) || step.code == (BPF_JMP | BPF_JEQ | BPF_K))
            next = std::max(from[i + 1 + step.jt], from[i + 1 + step.jf]);
        from[i] = 1 + next;
    }
    return from[0];
}

TEST(SyscallFilter, IsSearchedInFewSteps) {
    std::vector<SyscallRule> rules;
    for (uint32_t number = 1; number < highest; number += 2)
        rules.push_back({number, fail_with(EPERM)});
    const size_t ranges = highest + 1;
    const auto program = compiled(filter(rules));
    EXPECT_LE(program.size(), ranges + 20);
    // The architecture, the number, a way down, perhaps a longer jump on it, the answer.
    EXPECT_LE(longest_way(program), 3 + std::bit_width(ranges) + 1 + 1);
}

// The slow and obvious reading of a filter.
uint32_t plainly(const SyscallFilter& by, const seccomp_data& of) {
    if (of.arch != by.arch || static_cast<uint32_t>(of.nr) > by.highest_known)
        return fail_with(ENOSYS);
    const auto holds = [&of](const ArgumentTest& test) {
        uint64_t value = of.args[test.argument] & test.mask;
        if (test.width == Width::Int) value = static_cast<uint32_t>(value);
        return (value == test.value) == (test.relation == Relation::Equal);
    };
    for (const SyscallRule& rule : by.rules) {
        if (rule.number != static_cast<uint32_t>(of.nr)) continue;
        for (const ArgumentCase& one : rule.cases)
            if (std::ranges::all_of(one.all_of, holds)) return one.action;
        return rule.action;
    }
    return let_through;
}

class Dice {
public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    uint32_t below(uint32_t end) { return static_cast<uint32_t>(engine_() % end); }
    // Few bits in few places, so that equal values and halves are frequent.
    uint64_t value() { return uint64_t{below(3)} | uint64_t{below(3)} << 32U; }

    ArgumentTest test() {
        const Width width = below(2) == 0 ? Width::Int : Width::Long;
        const uint64_t masks[] = {~0ULL, 0x100000001, 0x200000002, 1};
        const uint64_t mask = masks[below(4)];
        const uint64_t all = width == Width::Int ? 0xffffffff : ~0ULL;
        const Relation relation = below(3) == 0 ? Relation::NotEqual : Relation::Equal;
        return {below(2), width, value() & mask & all, mask, relation};
    }
    uint32_t action() {
        return below(3) == 0 ? let_through : fail_with(static_cast<int>(below(3)));
    }
    std::vector<ArgumentCase> cases() {
        std::vector<ArgumentCase> made(below(4));
        for (ArgumentCase& one : made) {
            for (uint32_t left = 1 + below(2); left > 0; --left) one.all_of.push_back(test());
            one.action = action();
        }
        return made;
    }

private:
    std::mt19937 engine_;
};

// Up to some hundred rules: then branches are too short, and steps lie between them.
TEST(SyscallFilter, DoesWhatItSays) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        Dice dice(seed);
        const uint32_t every = 1 + dice.below(8);
        const bool with_cases = dice.below(2) == 0;
        std::vector<SyscallRule> rules;
        for (uint32_t number = 0; number < 240; ++number)
            if (dice.below(every) == 0)
                rules.push_back({number, dice.action(),
                                 with_cases ? dice.cases() : std::vector<ArgumentCase>{}});
        std::shuffle(rules.begin(), rules.end(), std::mt19937(seed));
        const SyscallFilter by = filter(rules);
        const auto program = compiled(by);
        for (uint32_t number = 0; number < 250; ++number)
            for (int again = 0; again < 20; ++again) {
                const auto of = call(number, {dice.value(), dice.value()});
                ASSERT_EQ(evaluate(program, of), plainly(by, of)) << seed << ", " << number;
            }
    }
}

TEST(Evaluate, KillsWhatItDoesNotUnderstand) {
    const sock_filter odd[] = {BPF_STMT(BPF_MISC | BPF_TAX, 0),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_filter beyond[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, sizeof(seccomp_data)),
                                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_filter endless[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0)};
    const sock_filter out[] = {BPF_STMT(BPF_JMP | BPF_JA, 5)};
    EXPECT_EQ(evaluate(odd, call(1)), SECCOMP_RET_KILL_PROCESS);
    EXPECT_EQ(evaluate(beyond, call(1)), SECCOMP_RET_KILL_PROCESS);
    EXPECT_EQ(evaluate(endless, call(1)), SECCOMP_RET_KILL_PROCESS);
    EXPECT_EQ(evaluate(out, call(1)), SECCOMP_RET_KILL_PROCESS);
    EXPECT_EQ(evaluate({}, call(1)), SECCOMP_RET_KILL_PROCESS);
}

// 0 if the kernel and the interpreter agree on calls of `number` with these arguments; else the
// place of the first on which they do not, from 1; -1 if the program cannot be installed.
int disagreement(const std::vector<sock_filter>& program, long number,
                 const std::vector<std::vector<uint64_t>>& calls) {
    const pid_t child = ::fork();
    if (child == 0) {
        sock_fprog filter{static_cast<unsigned short>(program.size()),
                          const_cast<sock_filter*>(program.data())};
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0)
            ::_exit(255);
        for (size_t i = 0; i < calls.size(); ++i) {
            const auto& with = calls[i];
            const uint32_t action = evaluate(program, call(static_cast<uint32_t>(number), with));
            errno = 0;
            ::syscall(number, with[0], with[1], with[2], with[3], with[4], with[5]);
            const int expected =
                action == let_through ? 0 : static_cast<int>(action & SECCOMP_RET_DATA);
            if (errno != expected) ::_exit(static_cast<int>(i + 1));
        }
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFEXITED(status)) return -2;
    return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

TEST(Evaluate, AgreesWithTheKernel) {
    constexpr auto harmless = static_cast<uint32_t>(SYS_getppid);  // takes no notice of arguments
    for (unsigned seed = 0; seed < 40; ++seed) {
        Dice dice(seed);
        const SyscallFilter by = filter({{harmless, fail_with(EDOM), dice.cases()}});
        std::vector<std::vector<uint64_t>> calls;
        for (int i = 0; i < 100; ++i)
            calls.push_back({dice.value(), dice.value(), 0, 0, 0, dice.value()});
        EXPECT_EQ(disagreement(compiled(by), harmless, calls), 0) << seed;
    }
}

}  // namespace
}  // namespace husk::os
