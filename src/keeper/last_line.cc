#include "last_line.h"

#include "line.h"

namespace {

using husk::record::Reason;
using husk::record::Record;
using husk::record::Resource;

constexpr unsigned room = 512;

Line<room> line;

// A line of the plan, counted from the one after an exit, and the number that goes into it.
struct Choice {
    uint32_t index;
    uint64_t number;
};

constexpr uint32_t no_line = ~uint32_t{0};

static_assert(static_cast<uint32_t>(Resource::Lifetime) == husk::wire::LifetimeLine);

constexpr Choice choose(Reason reason, Resource resource, uint64_t limit, int wait_status) {
    constexpr uint32_t first_limit = 1 + husk::wire::last_signal;
    switch (reason) {
        case Reason::Limit: return {first_limit + static_cast<uint32_t>(resource), limit};
        case Reason::Lifetime: return {first_limit + husk::wire::LifetimeLine, limit};
        case Reason::Idle: return {first_limit + husk::wire::IdleLine, limit};
        case Reason::Deadline: return {first_limit + husk::wire::DeadlineLine, limit};
        default: break;
    }
    const auto status = static_cast<uint32_t>(wait_status);
    const uint32_t signal = status & 0x7f;
    if (signal > husk::wire::last_signal) return {no_line, 0};  // nobody knows how it ended
    return {signal, status >> 8 & 0xff};
}

static_assert(choose(Reason::Itself, Resource::Output, 0, 3 << 8).number == 3);
static_assert(choose(Reason::Killed, Resource::Output, 0, 15).index == 15);
static_assert(choose(Reason::Itself, Resource::Output, 0, -1).index == no_line);
// What a command said with its exit code does not count once a limit has ended it.
static_assert(choose(Reason::Limit, Resource::Processes, 40, 0).index == 65 + 3);
static_assert(choose(Reason::Limit, Resource::Processes, 40, 0).number == 40);

const char* skip_strings(const char* at, const char* end, uint64_t count) {
    for (; count > 0 && at < end; ++at)
        if (*at == 0) --count;
    return at;
}

}  // namespace

namespace last_line {

Line of(const husk::wire::Plan& plan, const char* end, const Record& record) {
    line.length = 0;
    if ((plan.flags & husk::wire::EndsWithLine) == 0) return {line.text, 0};
    const Choice choice = choose(record.reason, record.resource, record.limit, record.wait_status);
    if (choice.index == no_line) return {line.text, 0};
    const uint64_t before = (plan.flags & husk::wire::DirectoryByName) != 0 ? 2 : 1;
    const char* at = skip_strings(reinterpret_cast<const char*>(&plan + 1), end,
                                  before + plan.argc + plan.envc + choice.index);
    for (; at < end && *at != 0; ++at) {
        if (*at == husk::wire::number_here)
            line.add(choice.number);
        else
            line.put(*at);
    }
    if (line.length == 0) return {line.text, 0};
    if (line.length == room) --line.length;  // for the newline
    line.put('\n');
    return {line.text, line.length};
}

}  // namespace last_line
