#include "os/kernel.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "os/landlock.h"
#include "os/pretend.h"
#include "os/probe.h"

namespace husk::os {
namespace {

constexpr const char* through_user_namespace = "in a user namespace";

// HUSK_PRETEND speaks here too, so that `husk doctor` tells what a call would meet.
void take_away_what_is_pretended(std::vector<Capability>& capabilities) {
    const Pretended& can = pretended();
    const std::pair<const char*, bool> kept[] = {
        {"Landlock", landlock::abi() >= landlock::least_abi},
        {"seccomp", can.seccomp},
        {"user namespace", can.user_namespaces},
        {"PID namespace", can.pid_namespaces},
        {"network namespace", can.network_namespaces},
        {"mount namespace", can.mount_namespaces},
        {"overlay", can.overlay}};
    for (Capability& one : capabilities) {
        for (const auto& [mechanism, stays] : kept) {
            if (one.mechanism != mechanism || stays || !one.available) continue;
            one.available = false;
            one.why_not = "HUSK_PRETEND";
        }
        if (one.mechanism == "Landlock" && one.available)
            one.version = "ABI " + std::to_string(landlock::abi());
        // They are had through it, unless one may do everything.
        if (!can.user_namespaces && one.version == through_user_namespace) {
            one.available = false;
            one.why_not = "HUSK_PRETEND";
        }
    }
}

}  // namespace

Kernel Kernel::probe(const Surroundings& surroundings) {
    Kernel kernel{{
        probe::pidfd(),
        probe::subreaper(),
        probe::lists_of_children(),
        probe::executing_from_memory(),
        probe::bash(open_bash()),
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
        probe::overlay(),
        probe::cgroup_v2(),
        probe::cgroup_v1(),
        probe::limits_by_cgroup(),
    }};
    take_away_what_is_pretended(kernel.capabilities);
    return kernel;
}

bool Kernel::has(std::string_view mechanism) const {
    return std::ranges::any_of(capabilities, [&](const Capability& one) {
        return one.available && one.mechanism == mechanism;
    });
}

std::vector<Capability> Kernel::missing() const {
    std::vector<Capability> missing;
    std::ranges::copy_if(capabilities, std::back_inserter(missing),
                         [](const Capability& one) { return one.required && !one.available; });
    return missing;
}

}  // namespace husk::os
