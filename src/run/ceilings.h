// Limits of a whole tree that the kernel keeps, where this process may make cgroups. Entering one
// takes some milliseconds, more than a short command: it is made only for limits that were asked
// for, and the usual ones are watched.
#pragma once

#include <husk/request.h>

#include <optional>
#include <span>
#include <vector>

#include "os/limited_cgroup.h"

namespace husk::run {

struct CeilingsPlan {
    os::Ceilings most;
    os::CgroupPlan where;
};

CeilingsPlan plan_ceilings(const Limits& asked);

// Nothing where it cannot be had: then these limits are watched like all others, and the record
// says so.
std::optional<os::LimitedCgroup> make_ceilings(const CeilingsPlan& plan);

// What a keeper gets of it: a bit for each wire::CgroupFile, and the descriptors in that order.
struct CeilingFiles {
    uint32_t present = 0;
    std::vector<int> fds;
};
CeilingFiles files_of(const os::LimitedCgroup& cgroup);

}  // namespace husk::run
