#include "os/kernel.h"

#include <algorithm>
#include <iterator>

#include "os/probe.h"

namespace husk::os {

Kernel Kernel::probe(const Surroundings& surroundings) {
    return {{
        probe::pidfd(),
        probe::subreaper(),
        probe::lists_of_children(),
        probe::executing_from_memory(),
        probe::bash(surroundings.bash),
        probe::file_locks(surroundings.state),
        probe::shared_mapping(surroundings.state),
        probe::hole_punching(surroundings.state),
        probe::inotify(surroundings.state),
        probe::io_accounting(),
        probe::open_files(),
        probe::landlock(),
        probe::seccomp(),
        probe::user_namespace(),
        probe::pid_namespace(),
        probe::network_namespace(),
        probe::mount_namespace(),
        probe::cgroup_v2(),
        probe::cgroup_v1(),
    }};
}

std::vector<Capability> Kernel::missing() const {
    std::vector<Capability> missing;
    std::ranges::copy_if(capabilities, std::back_inserter(missing),
                         [](const Capability& one) { return one.required && !one.available; });
    return missing;
}

}  // namespace husk::os
