#include "tool/live_use.h"

#include <algorithm>

#include "os/procfs.h"

namespace husk::tool {

std::optional<LiveUse> live_use(pid_t keeper) {
    const auto own = os::process_use(keeper);
    if (!own) return std::nullopt;
    LiveUse all{.user = own->reaped_user, .system = own->reaped_system};
    for (const os::ProcessInfo& process : os::descendants(keeper)) {
        const auto use = os::process_use(process.pid);
        if (!use) continue;
        all.user += use->user + use->reaped_user;
        all.system += use->system + use->reaped_system;
        all.memory += use->memory;
        all.largest = std::max(all.largest, use->peak);
        if (const pid_t inside = os::number_inside(process.pid); inside != 0)
            all.pids.push_back(inside);
    }
    return all;
}

Usage usage_so_far(const LiveUse& use) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    Usage usage;
    usage.user_ms = Milliseconds(use.user).count();
    usage.system_ms = Milliseconds(use.system).count();
    if (use.largest > 0 || use.memory > 0) {
        usage.peak_memory_bytes = std::max(use.largest, use.memory);
        usage.peak_memory_of = use.memory > use.largest ? "tree" : "largest process";
    }
    return usage;
}

void add_live_use(Report& report, const collect::Snapshot& now) {
    if (now.keeper == 0 || now.record.main == 0) return;
    if (const auto use = live_use(now.keeper)) report.usage = usage_so_far(*use);
}

}  // namespace husk::tool
