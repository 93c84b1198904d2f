// A cgroup of its own for one command, so that the kernel keeps the limits of its tree: of version
// 2 where a delegated one passes the controllers on, of version 1 where that is what there is.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/cgroup.h"
#include "os/fd.h"

namespace husk::os {

// 0: as much as it likes.
struct Ceilings {
    uint64_t memory = 0;  // bytes
    uint64_t tasks = 0;   // processes and their threads
    uint64_t cpu_us = 0;  // microseconds of all processors together, in each tenth of a second
};

// What would be made where. Nothing has been touched yet.
struct CgroupPlan {
    struct Directory {
        std::filesystem::path parent;
        std::string enable = {};  // controllers that the parent has to pass on first
        bool memory = false;
        bool tasks = false;
        bool cpu = false;
    };

    int version = 0;  // 0: none of the ceilings can be kept so
    std::vector<Directory> directories = {};

    bool keeps_memory() const;
    bool keeps_tasks() const;
    bool keeps_cpu() const;
};

CgroupPlan plan_cgroup(const std::vector<Cgroup>& own, const Ceilings& wanted);

// A directory that is taken away with this object, unless a process lives in it then.
class OwnCgroup {
public:
    explicit OwnCgroup(std::filesystem::path path) : path_(std::move(path)) {}
    OwnCgroup(OwnCgroup&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    OwnCgroup& operator=(OwnCgroup&&) = delete;
    ~OwnCgroup();

private:
    std::filesystem::path path_;
};

// Made, with nobody in it. Descriptors of what there is not are empty. Whoever holds those to enter
// by holds the cgroup: nobody sweeps it away.
struct LimitedCgroup {
    std::vector<OwnCgroup> directories = {};
    Fd memory_procs = {};   // "0" written here brings the writer in
    Fd memory_events = {};  // has a line "oom_kill N"
    Fd memory_peak = {};
    Fd memory_bell = {};  // an eventfd, where the events themselves cannot be waited for
    Fd tasks_procs = {};
    Fd tasks_events = {};  // has a line "max N"
    Fd cpu_procs = {};
    Fd kill = {};  // only of version 2
};

// Writes the limits into a new cgroup, and opens what `cgroup` has of it.
Result<void> limit(LimitedCgroup& cgroup, int version, const CgroupPlan::Directory& where,
                   const std::filesystem::path& dir, const Ceilings& most);

// The name has to be new in each of the plan's directories.
Result<LimitedCgroup> make_cgroup(const CgroupPlan& plan, const Ceilings& most,
                                  const std::string& name);

// Removes those whose names start so, which nobody holds and nobody is in.
void sweep_cgroups(const CgroupPlan& plan, const std::string& prefix);

}  // namespace husk::os
