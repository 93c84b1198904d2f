#include "confine/checks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "confine/devices.h"
#include "confine/machine.h"
#include "confine/opening.h"
#include "confine/reading.h"
#include "confine/secrets.h"
#include "confine/view.h"
#include "confine/withheld.h"
#include "os/file.h"
#include "os/pretend.h"
#include "request/directory_advice.h"
#include "request/network_hosts.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

Result<os::Fd> open_directory(const char* what, const fs::path& path, std::string_view advice) {
    auto opened = os::open(path, O_PATH | O_DIRECTORY);
    int wrong = opened ? 0 : opened.error().code;
    if (opened && ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) != 0) wrong = errno;
    if (wrong != 0) return failure(what, wrong, path.string() + "; " + std::string(advice));
    return opened;
}

// What was asked for by name, before walls are built that stumble over it.
Result<void> check_what_is_named(const Wanted& wanted) {
    CHECK(open_working_directory(wanted.workspace));
    if (wanted.mode == Mode::Workspace)
        for (const fs::path& root : wanted.writable)
            CHECK(open_directory("write", root,
                                 "make this directory first, or take it out of `write` (--write)"));
    for (const fs::path& given : wanted.readable) {
        struct stat info{};
        if (::stat(given.c_str(), &info) != 0)
            return failure("read", errno, given.string() + "; take it out of `read` (--read)");
    }
    return {};
}

// What a session would hold as a whole, to write or only to read.
std::vector<fs::path> roots_of(const Wanted& wanted) {
    std::vector<fs::path> roots = writable_roots(wanted);
    if (wanted.mode == Mode::ReadOnly) roots.push_back(wanted.workspace);
    return roots;
}

// No command may look into Husk's own state, and none works in there.
Result<void> check_place_of_state(const Wanted& wanted) {
    for (const fs::path& root : roots_of(wanted))
        if (!wanted.state.empty() && is_within(root, wanted.state))
            return failure("workspace", 0,
                           root.string() + " belongs to the state of Husk itself (" +
                               wanted.state.string() +
                               "); take another directory, or use --state elsewhere");
    // Landlock would withhold it anywhere else: the session's own /tmp is granted as a whole.
    const bool state_is_granted =
        is_within(wanted.state, wanted.workspace) && lies_in_private_place(wanted.workspace);
    if (wanted.mode == Mode::ReadOnly && state_is_granted)
        return failure(
            "workspace", 0,
            wanted.workspace.string() + " holds the state of Husk itself; use --state elsewhere");
    return {};
}

}  // namespace

Result<os::Fd> open_working_directory(const fs::path& path) {
    return open_directory("working directory", path, config::directory_advice);
}

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

Result<void> check_network(Mode mode, const Network& network) {
    if (mode == Mode::Open && network.kind == Network::Kind::None) return {};
    const std::string why = config::cannot_be_kept(network, mode);
    return why.empty() ? Result<void>() : failure("network", 0, why);
}

Result<void> check_workspace(const Wanted& wanted) {
    if (wanted.refused) return std::unexpected(*wanted.refused);
    CHECK(check_what_is_named(wanted));
    CHECK(check_devices(wanted));
    CHECK(check_place_of_state(wanted));
    for (const fs::path& root : writable_roots(wanted)) {
        const auto refused = [&](const std::string& why) {
            return failure("workspace", 0, root.string() + " " + why);
        };
        const bool wide = holds_everything(wanted, root);
        if (wide && !wanted.wide_workspace)
            return refused("would give everything away; take a directory below it, or --force");
        const RootKind kind = kind_of_root(root);
        if (kind == RootKind::OfTheSystem && !wanted.wide_workspace)
            return refused("belongs to the system; take another directory, or --force");
        if (kind == RootKind::HoldsAHome && !wanted.wide_workspace)
            return refused(
                "is the home of a user or holds one; take a directory below, or --force");
        if (kind == RootKind::OfTheKernel) return refused("is no place for a workspace");
        if (is_within(wanted.state, root) && !(wide && wanted.machine.mount_namespace))
            return refused("holds the state of Husk itself; use --state elsewhere");
    }
    return {};
}

Result<void> check_secrets(const Wanted& wanted, const std::vector<fs::path>& secrets) {
    for (const fs::path& root : roots_of(wanted))
        for (const fs::path& secret : secrets)
            if (is_within(root, secret) && !wanted.wide_workspace)
                return failure("workspace", 0,
                               root.string() + " is a secret; take another directory, or give it " +
                                   "on purpose with `read` (--read)");
    if (wanted.machine.mount_namespace) return {};
    for (const fs::path& secret : secrets_in_roots(wanted, secrets)) {
        struct stat info{};
        const bool is_absent =
            ::lstat(secret.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
        if (!is_absent)
            return failure("workspace", 0,
                           secret.string() +
                               " cannot be withheld without a mount namespace; take " +
                               "another directory, or give it on purpose with `read` (--read)");
    }
    return {};
}

}  // namespace husk::confine
