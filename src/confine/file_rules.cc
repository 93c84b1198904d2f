#include "confine/file_rules.h"

#include <sys/stat.h>

#include <algorithm>
#include <iterator>

#include "confine/accounts.h"
#include "confine/devices.h"
#include "confine/located.h"
#include "confine/own_network.h"
#include "confine/reading.h"
#include "confine/view.h"
#include "os/landlock.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;
using wire::WallOp;

// Everything except the withheld paths can be read.
void grant_machine(const Wanted& wanted, const std::vector<fs::path>& never, Steps& steps) {
    grant("/", os::landlock::listing(), steps);
    grant_reading("/", never, steps);
    if (!wanted.home.empty() && !has_home(wanted)) grant_reading(wanted.home, never, steps);
}

bool lies_in_one_of(const fs::path& path, const std::vector<fs::path>& places) {
    return std::ranges::any_of(places,
                               [&](const fs::path& place) { return is_within(path, place); });
}

// A command may meanwhile have put another directory in its place.
bool is_as_resolved(const Wanted& wanted, const fs::path& path) {
    const auto now = seen_at(path);
    const wire::Identity then = wanted.identity_of(path);
    return now && now->device == then.device && now->inode == then.inode;
}

// The system directories and the allowed paths, except those in something that is withheld. "/"
// gets no right to be listed, because rights on a directory count for everything below it.
void grant_only_allowed(const Wanted& wanted, const std::vector<fs::path>& never, Steps& steps) {
    std::vector<fs::path> not_of_system = never;
    std::ranges::copy(wanted.narrowed, std::back_inserter(not_of_system));
    for (const char* place : system_places) {
        grant_reading(place, not_of_system, steps);
        // Rules that go round a withheld file leave out its directory. Its name can be listed
        // without a list, too.
        const bool is_narrowed = std::ranges::any_of(
            wanted.narrowed, [&](const fs::path& path) { return is_within(path, place); });
        if (!is_narrowed) grant(place, os::landlock::listing(), steps);
    }
    for (const fs::path& allowed : *wanted.allowed)
        if (is_as_resolved(wanted, allowed) && !lies_in_one_of(allowed, never))
            grant_reading(allowed, never, steps);
}

}  // namespace

void add_file_rules(const Wanted& wanted, const std::vector<fs::path>& never, Steps& steps) {
    namespace landlock = os::landlock;
    const int abi = landlock::abi();
    steps.add({WallOp::MakeRuleset, "make a Landlock ruleset", landlock::all_rights(abi), 0,
               landlock::scopes(abi)});
    if (wanted.allowed)
        grant_only_allowed(wanted, never, steps);
    else
        grant_machine(wanted, never, steps);
    for (const fs::path& file : {resolver_file(wanted), passwords_file(wanted)})
        if (!file.empty()) grant(file, landlock::on_files(landlock::reading()), steps);
    for (const char* path : readable_in_run) grant(path, landlock::reading(), steps);
    grant("/proc", landlock::reading(), steps);
    const uint64_t on_scratch =
        wanted.scratch == Scratch::None ? landlock::reading() : landlock::writing(abi);
    for (const fs::path& place : scratch_places(wanted)) grant(place, on_scratch, steps);
    for (const char* device : {"null", "zero", "full", "random", "urandom", "tty"})
        grant(fs::path("/dev") / device, landlock::on_files(landlock::writing(abi)), steps);
    grant_devices(wanted, abi, steps);
    if (!wanted.logs.empty()) grant(wanted.logs, landlock::reading(), steps);
    const auto grant_as_resolved = [&](const fs::path& path, uint64_t rights) {
        grant_root(path, rights, steps, wanted.identity_of(path));
    };
    // The workspace may hold the state of Husk if it cannot be written.
    for (const fs::path& root : shown_roots(wanted)) {
        if (wanted.mode == Mode::ReadOnly && is_within(wanted.state, root))
            grant_reading(root, never, steps);
        else
            grant_as_resolved(root, landlock::reading());
    }
    for (const fs::path& given : wanted.readable) {
        // The home is granted as a whole, and objects in an overlay have other identities.
        if (has_home(wanted) && is_within(given, wanted.home)) continue;
        const wire::Identity identity = wanted.identity_of(given);
        const uint64_t rights = landlock::reading();
        grant(given, identity.type == S_IFDIR ? rights : landlock::on_files(rights), steps,
              identity);
    }
    for (const fs::path& root : writable_roots(wanted))
        grant_as_resolved(root, landlock::writing(abi));
}

}  // namespace husk::confine
