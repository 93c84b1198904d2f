#include "run/ceilings.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/id.h"
#include "keeper/wire.h"

namespace husk::run {
namespace {

constexpr const char* name_prefix = "husk-call-";

// What callers left that did not live to see the end of a command. Not each time: a sweep looks at
// every cgroup beside ours.
void sweep_now_and_then(const os::CgroupPlan& where) {
    using std::chrono::steady_clock;
    constexpr auto between_sweeps = std::chrono::minutes(1);
    static std::atomic<steady_clock::time_point> next{steady_clock::time_point::min()};
    const auto now = steady_clock::now();
    auto due = next.load();
    if (now < due || !next.compare_exchange_strong(due, now + between_sweeps)) return;
    os::sweep_cgroups(where, name_prefix);
}

// Of a tenth of a second on each. All of them is no limit.
uint64_t share_of_processors(uint64_t percent) {
    constexpr uint64_t one_percent_us = 1000;
    if (percent == 0 || percent >= 100) return 0;
    return percent * one_percent_us * std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

CeilingsPlan plan_ceilings(const Limits& asked) {
    // Whoever is just being born has to fit: with less the kernel could not start it.
    constexpr uint64_t least_memory = 16 << 20;
    const uint64_t memory = asked.memory.value_or(0);
    const os::Ceilings most{.memory = memory < least_memory ? 0 : wire::memory_for(memory),
                            .tasks = wire::tasks_for(asked.processes.value_or(0)),
                            .cpu_us = share_of_processors(asked.cpu_percent.value_or(0))};
    if (most.memory == 0 && most.tasks == 0 && most.cpu_us == 0) return {};
    return {most, os::plan_cgroup(os::own_cgroups(), most)};
}

std::optional<os::LimitedCgroup> make_ceilings(const CeilingsPlan& plan) {
    if (plan.where.version == 0) return std::nullopt;
    sweep_now_and_then(plan.where);
    constexpr size_t letters = 8;
    auto made = os::make_cgroup(plan.where, plan.most, name_prefix + random_id(letters));
    if (!made) return std::nullopt;
    return std::move(*made);
}

CeilingFiles files_of(const os::LimitedCgroup& cgroup) {
    const os::Fd* const files[wire::cgroup_files] = {
        &cgroup.memory_procs, &cgroup.memory_events, &cgroup.memory_peak, &cgroup.memory_bell,
        &cgroup.tasks_procs,  &cgroup.tasks_events,  &cgroup.kill,        &cgroup.cpu_procs};
    CeilingFiles result;
    for (uint32_t file = 0; file < wire::cgroup_files; ++file) {
        if (!*files[file]) continue;
        result.present |= 1U << file;
        result.fds.push_back(files[file]->get());
    }
    return result;
}

}  // namespace husk::run
