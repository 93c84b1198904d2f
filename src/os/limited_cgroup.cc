#include "os/limited_cgroup.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "base/text.h"
#include "os/file.h"

namespace husk::os {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_in(const fs::path& file) {
    std::string text = read_file(file).value_or("");
    while (text.ends_with('\n')) text.pop_back();
    return split_list(text, ' ');
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

bool may_make_in(const fs::path& dir) { return ::access(dir.c_str(), W_OK | X_OK) == 0; }

// By systemd, to whoever runs in it.
bool is_delegated(const fs::path& dir) {
    char value = 0;
    return ::getxattr(dir.c_str(), "user.delegate", &value, 1) == 1 && value == '1';
}

// A cgroup that passes controllers on has no processes of its own, but for the first of all.
bool can_pass_on(const fs::path& dir) {
    return !fs::exists(dir / "cgroup.type") ||
           read_file(dir / "cgroup.procs").value_or("x").empty();
}

CgroupPlan::Directory look_at_v2(const fs::path& dir, const Ceilings& wanted) {
    CgroupPlan::Directory found{.parent = dir};
    if (!may_make_in(dir)) return found;
    const auto available = words_in(dir / "cgroup.controllers");
    const auto passed_on = words_in(dir / "cgroup.subtree_control");
    const bool more = can_pass_on(dir);
    const auto take = [&](const char* controller, bool is_wanted) {
        if (!is_wanted || contains(passed_on, controller)) return is_wanted;
        if (!more || !contains(available, controller)) return false;
        found.enable += std::string(found.enable.empty() ? "+" : " +") + controller;
        return true;
    };
    found.memory = take("memory", wanted.memory > 0);
    found.tasks = take("pids", wanted.tasks > 0);
    found.cpu = take("cpu", wanted.cpu_us > 0);
    return found;
}

// Our own; or the one above, where that is delegated and we have been put into a corner of it.
CgroupPlan plan_v2(const std::vector<Cgroup>& own, const Ceilings& wanted) {
    const auto one = std::ranges::find(own, "", &Cgroup::controllers);
    if (one == own.end()) return {};
    for (const fs::path& dir : {one->directory, one->directory.parent_path()}) {
        if (dir != one->directory && !is_delegated(dir)) continue;
        CgroupPlan::Directory found = look_at_v2(dir, wanted);
        if (found.memory || found.tasks || found.cpu) return {2, {std::move(found)}};
    }
    return {};
}

CgroupPlan plan_v1(const std::vector<Cgroup>& own, const Ceilings& wanted) {
    CgroupPlan plan;
    for (const Cgroup& one : own) {
        const auto controllers = split_list(one.controllers, ',');
        CgroupPlan::Directory found{.parent = one.directory};
        found.memory = wanted.memory > 0 && contains(controllers, "memory");
        found.tasks = wanted.tasks > 0 && contains(controllers, "pids");
        found.cpu = wanted.cpu_us > 0 && contains(controllers, "cpu");
        if (!(found.memory || found.tasks || found.cpu) || !may_make_in(one.directory)) continue;
        plan.version = 1;
        plan.directories.push_back(std::move(found));
    }
    return plan;
}

Result<void> set(const fs::path& file, const std::string& value) {
    const Fd opened = TRY(open(file, O_WRONLY));
    return write_all(opened.get(), value);
}

// Rings when the kernel has killed for want of memory. Without it the keeper looks from time to
// time.
Fd bell_of(const fs::path& dir, const Fd& oom_control) {
    Fd bell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    const std::string order = std::to_string(bell.get()) + " " + std::to_string(oom_control.get());
    if (!bell || !set(dir / "cgroup.event_control", order)) return {};
    return bell;
}

Result<Fd> open_to_enter(const fs::path& dir) {
    Fd procs = TRY(open(dir / "cgroup.procs", O_WRONLY));
    if (::flock(procs.get(), LOCK_SH | LOCK_NB) != 0) return failure("flock", errno, dir.string());
    return procs;
}

Result<void> limit_memory(LimitedCgroup& cgroup, int version, const fs::path& dir, uint64_t most) {
    const bool first = version == 1;
    const std::string value = std::to_string(most);
    CHECK(set(dir / (first ? "memory.limit_in_bytes" : "memory.max"), value));
    // Else it would be swapped out and go on, ever more slowly. A kernel without swap has no such
    // file.
    std::ignore =
        first ? set(dir / "memory.memsw.limit_in_bytes", value) : set(dir / "memory.swap.max", "0");
    cgroup.memory_procs = TRY(open_to_enter(dir));
    cgroup.memory_events =
        TRY(open(dir / (first ? "memory.oom_control" : "memory.events"), O_RDONLY));
    // memory.peak came with Linux 5.19.
    cgroup.memory_peak =
        open(dir / (first ? "memory.max_usage_in_bytes" : "memory.peak"), O_RDONLY).value_or(Fd());
    if (first) cgroup.memory_bell = bell_of(dir, cgroup.memory_events);
    return {};
}

Result<void> limit_tasks(LimitedCgroup& cgroup, const fs::path& dir, uint64_t most) {
    CHECK(set(dir / "pids.max", std::to_string(most)));
    cgroup.tasks_procs = TRY(open_to_enter(dir));
    cgroup.tasks_events = TRY(open(dir / "pids.events", O_RDONLY));
    return {};
}

Result<void> limit_cpu(LimitedCgroup& cgroup, int version, const fs::path& dir, uint64_t most) {
    const std::string period = "100000";
    const std::string quota = std::to_string(most);
    if (version == 1) {
        CHECK(set(dir / "cpu.cfs_period_us", period));
        CHECK(set(dir / "cpu.cfs_quota_us", quota));
    } else {
        CHECK(set(dir / "cpu.max", quota + " " + period));
    }
    cgroup.cpu_procs = TRY(open_to_enter(dir));
    return {};
}

int count_kept(const CgroupPlan& plan) {
    return int{plan.keeps_memory()} + int{plan.keeps_tasks()} + int{plan.keeps_cpu()};
}

Result<LimitedCgroup> make_once(const CgroupPlan& plan, const Ceilings& most,
                                const std::string& name) {
    LimitedCgroup cgroup;
    for (const CgroupPlan::Directory& where : plan.directories) {
        if (!where.enable.empty())
            CHECK(set(where.parent / "cgroup.subtree_control", where.enable));
        const fs::path dir = where.parent / name;
        if (::mkdir(dir.c_str(), S_IRWXU) != 0) return failure("mkdir", errno, dir.string());
        cgroup.directories.emplace_back(dir);
        CHECK(limit(cgroup, plan.version, where, dir, most));
    }
    return cgroup;
}

}  // namespace

bool CgroupPlan::keeps_memory() const {
    return std::ranges::any_of(directories, &Directory::memory);
}
bool CgroupPlan::keeps_tasks() const { return std::ranges::any_of(directories, &Directory::tasks); }
bool CgroupPlan::keeps_cpu() const { return std::ranges::any_of(directories, &Directory::cpu); }

CgroupPlan plan_cgroup(const std::vector<Cgroup>& own, const Ceilings& wanted) {
    CgroupPlan two = plan_v2(own, wanted);
    const int all = int{wanted.memory > 0} + int{wanted.tasks > 0} + int{wanted.cpu_us > 0};
    if (count_kept(two) == all) return two;
    CgroupPlan one = plan_v1(own, wanted);
    return one.version != 0 && count_kept(one) >= count_kept(two) ? one : two;
}

Result<void> limit(LimitedCgroup& cgroup, int version, const CgroupPlan::Directory& where,
                   const fs::path& dir, const Ceilings& most) {
    if (where.memory) CHECK(limit_memory(cgroup, version, dir, most.memory));
    if (where.tasks) CHECK(limit_tasks(cgroup, dir, most.tasks));
    // A cgroup above may have less, and then the kernel takes no more: that one slows it down.
    if (where.cpu) std::ignore = limit_cpu(cgroup, version, dir, most.cpu_us);
    // Before Linux 5.14 there is none.
    if (version == 2) cgroup.kill = open(dir / "cgroup.kill", O_WRONLY).value_or(Fd());
    return {};
}

// The kernel lets go of the last process a moment after that has been reaped.
OwnCgroup::~OwnCgroup() {
    if (path_.empty()) return;
    constexpr int tries = 20;
    for (int i = 0; i < tries && ::rmdir(path_.c_str()) != 0 && errno == EBUSY; ++i) {
        if (!read_file(path_ / "cgroup.procs").value_or("").empty()) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

// Before it is held, somebody else's sweep may take it for one that was left behind.
Result<LimitedCgroup> make_cgroup(const CgroupPlan& plan, const Ceilings& most,
                                  const std::string& name) {
    constexpr int tries = 3;
    auto made = make_once(plan, most, name);
    for (int i = 1; i < tries && !made; ++i) {
        const int code = made.error().code;
        if (code != ENOENT && code != ENODEV && code != EWOULDBLOCK) break;
        made = make_once(plan, most, name);
    }
    return made;
}

void sweep_cgroups(const CgroupPlan& plan, const std::string& prefix) {
    for (const CgroupPlan::Directory& where : plan.directories) {
        const auto parent = open(where.parent, O_RDONLY | O_DIRECTORY);
        if (!parent) continue;
        for (const std::string& name : list(*parent).value_or(std::vector<std::string>())) {
            if (!name.starts_with(prefix)) continue;
            const auto procs = open_at(*parent, name + "/cgroup.procs", O_RDONLY);
            if (!procs || ::flock(procs->get(), LOCK_EX | LOCK_NB) != 0) continue;
            ::unlinkat(parent->get(), name.c_str(), AT_REMOVEDIR);
        }
    }
}

}  // namespace husk::os
