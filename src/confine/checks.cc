#include "confine/checks.h"

#include "confine/reading.h"
#include "confine/view.h"
#include "os/landlock.h"
#include "os/pretend.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> missing(const std::string& what) {
    return failure("mode", 0,
                   what + "; `husk doctor` tells more, `--mode open` runs without walls");
}

}  // namespace

Result<void> check_machine(const Wanted& wanted) {
    const os::Pretended& pretended = os::pretended();
    if (!pretended.understood)
        return failure("HUSK_PRETEND", 0, "a word of it is not known; see docs/walls.md");
    if (!pretended.linux_kernel) return missing("the closed modes need Linux");
    if (os::landlock::abi() < 1) return missing("the closed modes need Landlock (Linux 5.13)");
    if (os::landlock::abi() < os::landlock::least_abi)
        return missing("with Landlock before ABI 2 (Linux 5.19) nothing could be moved");
    if (!pretended.seccomp) return missing("the closed modes need seccomp");
    if (!wanted.root && !pretended.user_namespaces)
        return missing("an ordinary user needs user namespaces for the closed modes");
    if (!pretended.mount_namespaces) return missing("the closed modes need a mount namespace");
    if (!pretended.pid_namespaces) return missing("the closed modes need a PID namespace");
    if (!pretended.network_namespaces && wanted.network.kind != Network::Kind::Open)
        return missing("without a network namespace there is no network to close");
    return {};
}

Result<void> check_workspace(const Wanted& wanted) {
    for (const fs::path& root : writable_roots(wanted)) {
        const auto refused = [&](const std::string& why) {
            return failure("workspace", 0, root.string() + " " + why);
        };
        if (root == "/" || (!wanted.home.empty() && is_within(wanted.home, root)))
            return refused("would give everything away; take a directory below it");
        for (const char* special : {"/proc", "/sys", "/dev"})
            if (is_within(root, special) && !is_within(root, "/dev/shm"))
                return refused("is no place for a workspace");
        if (is_within(wanted.state, root))
            return refused("holds the state of Husk itself; use --state elsewhere");
    }
    return {};
}

}  // namespace husk::confine
