#include "confine/checks.h"

#include "confine/machine.h"
#include "confine/reading.h"
#include "confine/view.h"
#include "os/pretend.h"

namespace husk::confine {

namespace fs = std::filesystem;

Result<void> check_machine(const Wanted& wanted) {
    const os::Pretended& pretended = os::pretended();
    if (!pretended.understood)
        return failure("HUSK_PRETEND", 0, "a word of it is not known; see docs/walls.md");
    const Offer offered = offer(wanted.machine, wanted.mode, wanted.network.kind, wanted.accept);
    if (!offered.refusal.empty()) {
        return failure(
            "mode", 0,
            offered.refusal + "; `husk doctor` tells more, `--mode open` runs without walls");
    }
    return {};
}

Result<void> check_workspace(const Wanted& wanted) {
    for (const fs::path& root : writable_roots(wanted)) {
        const auto refused = [&](const std::string& why) {
            return failure("workspace", 0, root.string() + " " + why);
        };
        const bool wide = root == "/" || (!wanted.home.empty() && is_within(wanted.home, root));
        if (wide && !wanted.wide_workspace)
            return refused("would give everything away; take a directory below it, or --force");
        for (const char* special : {"/proc", "/sys", "/dev"})
            if (is_within(root, special) && !is_within(root, "/dev/shm"))
                return refused("is no place for a workspace");
        if (is_within(wanted.state, root) && !(wide && wanted.machine.mount_namespace))
            return refused("holds the state of Husk itself; use --state elsewhere");
    }
    return {};
}

}  // namespace husk::confine
