// The cgroup that a caller made for one command, because limits were asked for that the kernel can
// keep for a whole tree. The command enters it before it executes anything; the keeper stays
// outside and is told what went wrong in it.
#pragma once

#include <linux/poll.h>
#include <stdint.h>

#include "limits.h"
#include "wire.h"

namespace ceilings {

struct Files {
    int fds[husk::wire::cgroup_files] = {-1, -1, -1, -1, -1, -1, -1, -1};

    int operator[](husk::wire::CgroupFile file) const { return fds[file]; }
    int kill() const { return fds[husk::wire::CgroupKill]; }
};
void close_all(Files& files);

// Brings this process in. Only system calls: it is done between vfork and exec.
bool enter(const Files& files);

constexpr uint64_t number_at(const char* at) {
    uint64_t value = 0;
    for (; *at >= '0' && *at <= '9'; ++at) value = value * 10 + static_cast<uint64_t>(*at - '0');
    return value;
}

// The number in the line "<name> <number>"; 0 when there is none.
constexpr uint64_t count_of(const char* text, const char* name) {
    for (const char* line = text; *line != 0; ++line) {
        if (line != text && line[-1] != '\n') continue;
        const char* at = line;
        const char* want = name;
        while (*want != 0 && *at == *want) ++at, ++want;
        if (*want == 0 && *at == ' ') return number_at(at + 1);
    }
    return 0;
}

// Whether a tree whose processes were killed had taken what it may. Else it was the machine, or a
// cgroup above, that had no memory left: that is no breach.
constexpr bool was_full(uint64_t peak, uint64_t limit) { return peak >= limit - limit / 8; }

class Watch {
public:
    Watch() = default;  // of nothing
    // Of a command that has entered.
    Watch(const Files& files, const husk::wire::TreeLimits& most) : files_(files), most_(most) {}

    // Where a breach is told at once.
    static constexpr unsigned poll_count = 3;
    void add(pollfd* fds) const;

    // What the kernel has refused or killed for since the last look; its limit is 0 when nothing.
    limits::Breach look();

private:
    limits::Breach look_at_memory();
    limits::Breach look_at_tasks();
    uint64_t count(husk::wire::CgroupFile events, const char* name);

    Files files_;
    husk::wire::TreeLimits most_{};
    uint64_t kills_ = 0;
    uint64_t refusals_ = 0;
};

namespace check {

// memory.oom_control of version 1, memory.events of version 2, pids.events of both.
static_assert(count_of("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n", "oom_kill") == 3);
static_assert(count_of("low 0\nmax 51\noom 2\noom_kill 1\noom_group_kill 7\n", "oom_kill") == 1);
static_assert(count_of("max 12\n", "max") == 12 && count_of("", "max") == 0);
static_assert(was_full(300, 300) && was_full(290, 300) && !was_full(200, 300));

}  // namespace check

}  // namespace ceilings
