// What a command and its processes use while they run.
#pragma once

#include <husk/report.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "collect/shell_files.h"

namespace husk::tool {

struct LiveUse {
    std::chrono::nanoseconds user{0};
    std::chrono::nanoseconds system{0};
    uint64_t memory = 0;         // of all processes at this moment, without what they share
    uint64_t largest = 0;        // the most that one of them has ever had; 0: not known
    std::vector<int> pids = {};  // as the command sees them

    std::chrono::nanoseconds cpu() const { return user + system; }
};

// The sum over all descendants of the keeper, living and reaped. Nothing if the keeper is gone.
std::optional<LiveUse> live_use(pid_t keeper);

// The same in the form of a report.
Usage usage_so_far(const LiveUse& use);

// Fills in what a command that still runs has used so far.
void add_live_use(Report& report, const collect::Snapshot& now);

}  // namespace husk::tool
