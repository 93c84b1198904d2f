#include "confine/view.h"

#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>

#include "confine/accounts.h"
#include "confine/devices.h"
#include "confine/located.h"
#include "confine/outside_sockets.h"
#include "confine/own_devices.h"
#include "confine/own_network.h"
#include "confine/reading.h"
#include "confine/withheld.h"
#include "keeper/home_names.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;
using wire::WallOp;

// The session's private memory. It is mounted where it will be covered by a part of itself, so
// that nobody inside can reach the rest: not what the layers of the home are made of.
const fs::path store = "/tmp";
const fs::path var_tmp = "/var/tmp";

enum Slot : uint64_t {
    HomeBelow,
    HomeMerged,
    Devices,
    Temporary,
    LastingTemporary,
    Logs,
    Around,
    ResolverFile,
    PasswordsFile,
    FirstDevice,
};
const uint64_t first_root = FirstDevice + usual_devices();

// No program gains privileges by a file in it, and no device is opened there but those of /dev.
constexpr uint64_t harmless = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

// No path of these can be changed by anybody else.
void clone_own_tree(const fs::path& path, uint64_t slot, Steps& steps, uint64_t on_top = 0) {
    steps.add({WallOp::CloneTree,
               "copy the mounts of " + path.string(),
               slot,
               wire::WithMountsBelow | wire::AttributesOnTop,
               on_top,
               {path.string()}});
}

// Fails if the path leads to another object than it did when it was resolved. The attributes are
// set before the copy is mounted anywhere.
void clone_tree(const Wanted& wanted, const fs::path& path, uint64_t slot, Steps& steps,
                uint64_t attributes) {
    Step step{WallOp::CloneTree, "copy the mounts of " + path.string(), slot, wire::WithMountsBelow,
              attributes};
    step.texts = {path.string()};
    step.identity = wanted.identity_of(path);
    steps.add(std::move(step));
}

void place_tree(uint64_t slot, const fs::path& path, Steps& steps) {
    // What lies in a private place has to be made there first.
    for (const fs::path& private_place : private_places())
        if (is_within(path, private_place) && path != private_place)
            steps.make_directories(private_place, path);
    steps.add({WallOp::PlaceTree, "mount " + path.string(), slot, 0, 0, {path.string()}});
}

bool lies_in_another(const fs::path& secret, const std::vector<fs::path>& secrets) {
    return std::ranges::any_of(secrets, [&](const fs::path& other) {
        return is_within(secret, other) && other != secret;
    });
}

// A whiteout in the upper layer hides what is below, also if it comes only later. A path that leads
// out of the layer hides nothing in it, and must not be made elsewhere.
void hide(const fs::path& upper, const fs::path& path, Steps& steps) {
    const fs::path hidden = path.lexically_normal();
    if (hidden.empty() || hidden == "." || *hidden.begin() == "..") return;
    steps.make_directories(upper, (upper / hidden).parent_path());
    const std::string whiteout = upper / hidden;
    steps.add({WallOp::MakeWhiteout, "hide ~/" + hidden.string(), 0, 0, 0, {whiteout}});
}

void add_home(const Wanted& wanted, const std::vector<fs::path>& secrets, Steps& steps) {
    const fs::path below = store / "below";
    const fs::path upper = store / "upper";
    steps.make_directory(below);
    steps.add({WallOp::PlaceTree, "mount " + below.string(), HomeBelow, 0, 0, {below.string()}});
    struct stat info{};
    const unsigned mode = ::stat(wanted.home.c_str(), &info) == 0 ? info.st_mode & 0777 : 0700;
    steps.make_directory(upper, mode);
    steps.make_directory(store / "work", 0700);
    steps.make_directory(store / "merged");
    for (const fs::path& secret : secrets)
        if (is_within(secret, wanted.home) && !lies_in_another(secret, secrets))
            hide(upper, secret.lexically_relative(wanted.home), steps);
    if (is_within(wanted.state, wanted.home))
        hide(upper, wanted.state.lexically_relative(wanted.home), steps);
    const std::string layers = "lowerdir=" + below.string() + ",upperdir=" + upper.string() +
                               ",workdir=" + (store / "work").string() +
                               (wanted.machine.user_namespace ? ",userxattr" : "");
    const std::string merged = store / "merged";
    steps.add_with(
        mechanism::overlay,
        {WallOp::Mount, "mount overlay on " + merged, harmless, 0, 0, {"overlay", merged, layers}});
    clone_own_tree(store / "merged", HomeMerged, steps);
}

void add_devices(const Wanted& wanted, uint64_t first_named, Steps& steps) {
    const fs::path dev = store / "dev";
    steps.make_directory(dev);
    place_devices(wanted, dev, first_named, steps);
    place_usual_devices(dev, FirstDevice, steps);
    steps.make_directory(store / "shm", 01777);
    steps.bind(store / "shm", dev / "shm");
    clone_own_tree(dev, Devices, steps, MOUNT_ATTR_RDONLY);
}

bool lies_in_something_private(const Wanted& wanted, const fs::path& root) {
    const auto below = [&](const fs::path& place) {
        return root != place && is_within(root, place);
    };
    return std::ranges::any_of(private_places(), below) || (has_home(wanted) && below(wanted.home));
}

// Every file costs memory of the kernel beside that for its content.
void add_scratch(const Wanted& wanted, Steps& steps) {
    constexpr uint64_t bytes_of_a_file = 4096;
    steps.mount("tmpfs", store, harmless,
                "mode=0755,size=" + std::to_string(wanted.scratch_bytes) +
                    ",nr_inodes=" + std::to_string(wanted.scratch_bytes / bytes_of_a_file));
}

bool has_var_tmp() {
    return std::ranges::find(private_places(), var_tmp) != private_places().end();
}

void make_temporary(const Wanted& wanted, Steps& steps) {
    steps.make_directory(store / "tmp", 01777);
    if (!has_home(wanted)) steps.make_directory(store / "tmp" / "home", 0700);
    clone_own_tree(store / "tmp", Temporary, steps);
    if (!has_var_tmp()) return;
    steps.make_directory(store / "var-tmp", 01777);
    clone_own_tree(store / "var-tmp", LastingTemporary, steps);
}

// From here on, the store cannot be reached by a name.
void place_temporary(Steps& steps) {
    const auto place = [&](Slot slot, const fs::path& path) {
        steps.add(
            {WallOp::PlaceTree, "mount a private " + path.string(), slot, 0, 0, {path.string()}});
    };
    place(Temporary, "/tmp");
    steps.add({WallOp::HoldScratch, "watch the scratch", 0, 0, 0, {"/tmp"}});
    if (has_var_tmp()) place(LastingTemporary, var_tmp);
}

// What was given on purpose, of a secret in the home that was not given as a whole.
std::vector<fs::path> given_in_secrets(const Wanted& wanted, const std::vector<fs::path>& secrets) {
    std::vector<fs::path> given;
    for (const fs::path& path : wanted.readable)
        if (has_home(wanted) && is_within(path, wanted.home) && lies_in_another(path, secrets) &&
            std::ranges::find(given, path) == given.end())
            given.push_back(path);
    return given;
}

// What was given of the machine's own /tmp, which the session does not see.
std::vector<fs::path> given_in_private_places(const Wanted& wanted,
                                              const std::vector<fs::path>& roots) {
    std::vector<fs::path> given;
    for (const fs::path& path : wanted.readable) {
        const auto holds_it = [&](const fs::path& one) { return is_within(path, one); };
        const bool is_seen = (!wanted.home.empty() && holds_it(wanted.home)) ||
                             std::ranges::any_of(roots, holds_it) ||
                             std::ranges::any_of(given, holds_it);
        const bool is_whole = std::ranges::find(private_places(), path) != private_places().end();
        if (lies_in_private_place(path) && !is_seen && !is_whole) given.push_back(path);
    }
    return given;
}

fs::path private_place_of(const fs::path& path) {
    const auto found = std::ranges::find_if(
        private_places(), [&](const fs::path& place) { return is_within(path, place); });
    return found == private_places().end() ? fs::path("/") : *found;
}

// In HOME, the overlay makes a directory that replaces the hidden one.
void place_given(const Wanted& wanted, const fs::path& base, const fs::path& path, uint64_t slot,
                 Steps& steps) {
    const bool is_directory = wanted.identity_of(path).type == S_IFDIR;
    steps.make_directories(base, is_directory ? path : path.parent_path());
    if (!is_directory) steps.make_file(path);
    steps.add({WallOp::PlaceTree, "mount " + path.string(), slot, 0, 0, {path.string()}});
}

// The mason connects to them; this is for programs that look whether they are there.
void place_sockets(const std::vector<fs::path>& sockets, const Wanted& wanted, uint64_t slot,
                   Steps& steps) {
    for (const fs::path& path : sockets) {
        fs::path place = is_within(path, "/tmp") ? "/tmp" : "/dev/shm";
        if (has_home(wanted) && is_within(path, wanted.home)) place = wanted.home;
        steps.make_directories(place, path.parent_path());
        steps.make_file(path);
        steps.add({WallOp::PlaceTree, "mount " + path.string(), slot++, 0, 0, {path.string()}});
    }
}

// No rule of Landlock can withhold them: they lie in a root that is granted as a whole. So does a
// home without an overlay that lies in something private.
std::vector<fs::path> secrets_to_cover(const Wanted& wanted, const std::vector<fs::path>& secrets) {
    std::vector<fs::path> covered = secrets_in_roots(wanted, secrets);
    const bool home_is_granted = lies_in_private_place(wanted.home);
    if (has_home(wanted) || !home_is_granted || wanted.wide_workspace || wanted.allowed)
        return covered;
    for (const fs::path& secret : secrets)
        if (is_within(secret, wanted.home) && std::ranges::find(covered, secret) == covered.end())
            covered.push_back(secret);
    return covered;
}

// "/" is there already; it only stays writable.
std::vector<fs::path> roots_to_mount(const Wanted& wanted) {
    std::vector<fs::path> roots = writable_roots(wanted);
    std::erase(roots, "/");
    return roots;
}

// Before HOME is closed, and again where a root covers it.
void make_place_of_logs(const Wanted& wanted, Steps& steps) {
    if (!wanted.allowed && is_within(wanted.logs, wanted.home))
        steps.make_directories(wanted.home, wanted.logs);
}

void place_logs(const Wanted& wanted, Steps& steps) {
    make_place_of_logs(wanted, steps);
    place_tree(Logs, wanted.logs, steps);
}

// The names in HOME that are copied only to be read: those that exist, and those that a hidden
// secret makes appear.
std::vector<std::string> read_only_in_home(const Wanted& wanted,
                                           const std::vector<fs::path>& secrets) {
    constexpr size_t most = 2000;  // each is a mount; the mason guards the others
    std::vector<std::string> names;
    const auto add = [&](std::string name) {
        if (!wire::is_copied_in_home(name.c_str()) && names.size() < most)
            names.push_back(std::move(name));
    };
    std::error_code failed;
    for (fs::directory_iterator entry(wanted.home, failed);
         !failed && entry != fs::directory_iterator(); entry.increment(failed))
        add(entry->path().filename().string());
    for (const fs::path& secret : secrets)
        if (secret != wanted.home && is_within(secret, wanted.home))
            add(*secret.lexically_relative(wanted.home).begin());
    return names;
}

// What is written into a copy of these would be lost at the end of the session, and look saved. New
// names of this kind are refused by the mason: no mount can do that.
void close_home(const Wanted& wanted, const std::vector<fs::path>& secrets, Steps& steps) {
    for (const std::string& name : read_only_in_home(wanted, secrets)) {
        const std::string path = wanted.home / name;
        Step step{WallOp::Protect, "make " + path + " read-only", 0, 1, 0, {path}};
        step.optional = true;
        steps.add(std::move(step));
    }
    steps.add({WallOp::KeepHome, "watch HOME", 0, 0, 0, {wanted.home.string()}});
}

void make_scratch_read_only(const Wanted& wanted, Steps& steps) {
    for (const fs::path& place : private_places()) steps.make_read_only(place);
    if (has_home(wanted))
        steps.add({WallOp::SetAttributes, "make HOME read-only", MOUNT_ATTR_RDONLY, 0, HomeMerged});
}

constexpr uint64_t unchangeable = harmless | MOUNT_ATTR_RDONLY;

// What is mounted again, and the slots in which the copies wait for it.
struct Shown {
    std::vector<fs::path> roots;
    bool all_is_root = false;
    bool home = false;
    // The rest of the checkout around the workspace: the workspace and .git are mounted over it.
    bool checkout = false;
    std::vector<fs::path> given;
    std::vector<fs::path> given_private;
    std::vector<fs::path> sockets;
    uint64_t first_given = 0;
    uint64_t first_private = 0;
    uint64_t first_named = 0;
    uint64_t first_socket = 0;
};

Shown what_is_shown(const Wanted& wanted, const std::vector<fs::path>& secrets) {
    Shown shown;
    shown.roots = roots_to_mount(wanted);
    shown.checkout = !wanted.checkout.empty() && lies_in_something_private(wanted, wanted.checkout);
    shown.all_is_root = shown.roots.size() != writable_roots(wanted).size();
    // Without a mount of its own, a read-only root in a private directory would be missing, or
    // would seem writable.
    if (wanted.mode == Mode::ReadOnly)
        std::ranges::copy_if(
            shown_roots(wanted), std::back_inserter(shown.roots),
            [&](const fs::path& root) { return lies_in_something_private(wanted, root); });
    // With allowed paths, the rest of the home directory stays closed.
    shown.home = !wanted.home.empty() && !shown.all_is_root && !wanted.allowed;
    shown.given = given_in_secrets(wanted, secrets);
    shown.given_private = given_in_private_places(wanted, shown.roots);
    shown.sockets = hidden_sockets(wanted, secrets);
    shown.first_given = first_root + shown.roots.size();
    shown.first_private = shown.first_given + shown.given.size();
    shown.first_named = shown.first_private + shown.given_private.size();
    shown.first_socket = shown.first_named + wanted.devices.size();
    return shown;
}

void copy_what_is_shown(const Wanted& wanted, const Shown& shown, Steps& steps) {
    const auto copy = [&](const std::vector<fs::path>& paths, uint64_t slot, uint64_t attributes) {
        for (const fs::path& path : paths) clone_tree(wanted, path, slot++, steps, attributes);
    };
    copy_usual_devices(FirstDevice, steps);
    if (shown.checkout) clone_tree(wanted, wanted.checkout, Around, steps, unchangeable);
    copy(shown.roots, first_root, wanted.mode == Mode::ReadOnly ? unchangeable : harmless);
    if (!wanted.logs.empty()) clone_tree(wanted, wanted.logs, Logs, steps, unchangeable);
    copy_devices(wanted, shown.first_named, steps);
    copy(shown.given, shown.first_given, unchangeable);
    copy(shown.given_private, shown.first_private, unchangeable);
    copy(shown.sockets, shown.first_socket, unchangeable);
    if (shown.home)
        clone_tree(wanted, wanted.home, HomeBelow, steps,
                   has_home(wanted) ? harmless : unchangeable);
}

void place_home(const Wanted& wanted, const Shown& shown, Steps& steps) {
    place_tree(has_home(wanted) ? HomeMerged : HomeBelow, wanted.home, steps);
    for (size_t i = 0; i < shown.given.size(); ++i)
        place_given(wanted, wanted.home, shown.given[i], shown.first_given + i, steps);
}

void place_what_is_shown(const Wanted& wanted, const Shown& shown,
                         const std::vector<fs::path>& secrets, Steps& steps) {
    if (shown.home) place_home(wanted, shown, steps);
    for (size_t i = 0; i < shown.given_private.size(); ++i)
        place_given(wanted, private_place_of(shown.given_private[i]), shown.given_private[i],
                    shown.first_private + i, steps);
    if (shown.home && !wanted.logs.empty()) make_place_of_logs(wanted, steps);
    const bool home_is_root = std::ranges::any_of(
        shown.roots, [&](const fs::path& root) { return is_within(wanted.home, root); });
    if (shown.home && has_home(wanted) && !home_is_root) close_home(wanted, secrets, steps);
    if (shown.checkout) place_tree(Around, wanted.checkout, steps);
    for (size_t i = 0; i < shown.roots.size(); ++i)
        place_tree(first_root + i, shown.roots[i], steps);
    place_sockets(shown.sockets, wanted, shown.first_socket, steps);
}

}  // namespace

bool has_home(const Wanted& wanted) {
    return !wanted.home.empty() && wanted.machine.overlay && !wanted.allowed;
}

// /var/tmp may be missing, or a link to /tmp.
const std::vector<fs::path>& private_places() {
    static const std::vector<fs::path> places = [] {
        std::vector<fs::path> found = {"/tmp", "/dev/shm"};
        std::error_code failed;
        if (fs::canonical(var_tmp, failed) == var_tmp && fs::is_directory(var_tmp, failed))
            found.push_back(var_tmp);
        return found;
    }();
    return places;
}

bool lies_in_private_place(const fs::path& path) {
    return std::ranges::any_of(private_places(),
                               [&](const fs::path& place) { return is_within(path, place); });
}

bool holds_everything(const Wanted& wanted, const fs::path& root) {
    return root == "/" || (!wanted.home.empty() && is_within(wanted.home, root));
}

std::vector<fs::path> shown_roots(const Wanted& wanted) {
    std::vector<fs::path> roots = {wanted.workspace};
    if (!wanted.allowed) return roots;
    std::ranges::copy(wanted.writable, std::back_inserter(roots));
    std::erase_if(roots, [&](const fs::path& root) {
        return std::ranges::none_of(
            *wanted.allowed, [&](const fs::path& allowed) { return is_within(root, allowed); });
    });
    return roots;
}

std::vector<fs::path> writable_roots(const Wanted& wanted) {
    if (wanted.mode != Mode::Workspace) return {};
    std::vector<fs::path> roots = {wanted.workspace};
    roots.insert(roots.end(), wanted.writable.begin(), wanted.writable.end());
    roots.insert(roots.end(), wanted.git_dirs.begin(), wanted.git_dirs.end());
    return roots;
}

std::vector<fs::path> held_roots(const Wanted& wanted) {
    if (wanted.mode == Mode::Open && !wanted.protect.empty()) return {"/"};
    return writable_roots(wanted);
}

uint16_t proxy_port_of(const Wanted& wanted) {
    constexpr uint16_t usual_port = 3128;
    return wanted.network.kind == Network::Kind::Hosts ? usual_port : 0;
}

fs::path temporary_inside(const Wanted& wanted) {
    return wanted.machine.mount_namespace ? "/tmp" : wanted.scratch_dir / "tmp";
}

fs::path name_inside(const Wanted& wanted, const fs::path& directory) {
    if (is_within(directory, wanted.workspace)) return directory;
    const auto found = locate(directory);
    if (!found) return directory;
    const auto holds_it = [&](const fs::path& root) { return is_within(found->path, root); };
    const bool is_in_root =
        holds_it(wanted.workspace) || std::ranges::any_of(wanted.writable, holds_it);
    return is_in_root ? found->path : directory;
}

fs::path home_inside(const Wanted& wanted) {
    if (has_home(wanted)) return wanted.home;
    return wanted.machine.mount_namespace ? "/tmp/home" : wanted.scratch_dir / "home";
}

// Terminals and shared memory are private only by mounts.
std::vector<fs::path> scratch_places(const Wanted& wanted) {
    std::vector<fs::path> places = {temporary_inside(wanted), home_inside(wanted)};
    if (!wanted.machine.mount_namespace) return places;
    for (const fs::path& place : private_places())
        if (place != "/tmp") places.push_back(place);
    places.emplace_back("/dev/pts");
    if (has_message_queues()) places.emplace_back("/dev/mqueue");
    return places;
}

void add_view(const Wanted& wanted, const std::vector<fs::path>& secrets, Steps& steps) {
    const Shown shown = what_is_shown(wanted, secrets);
    // Before anything is covered or made read-only: what is to be seen as it is.
    copy_what_is_shown(wanted, shown, steps);

    const uint64_t attributes = shown.all_is_root ? 0 : MOUNT_ATTR_RDONLY;
    steps.add(
        {WallOp::SetAttributes, "make everything read-only", attributes | harmless, 1, 0, {"/"}});
    add_scratch(wanted, steps);
    if (shown.home && has_home(wanted)) add_home(wanted, secrets, steps);
    add_devices(wanted, shown.first_named, steps);
    make_resolver_file(wanted, store, ResolverFile, steps);
    make_passwords_file(wanted, store, PasswordsFile, steps);
    make_temporary(wanted, steps);

    place_tree(Devices, "/dev", steps);
    place_temporary(steps);
    if (shown.all_is_root) steps.make_read_only("/sys", true);
    place_what_is_shown(wanted, shown, secrets, steps);
    cover(wanted, secrets_to_cover(wanted, secrets), Covering::First, steps);
    if (!wanted.logs.empty()) place_logs(wanted, steps);
    if (const fs::path file = resolver_file(wanted); !file.empty())
        place_tree(ResolverFile, file, steps);
    if (const fs::path file = passwords_file(wanted); !file.empty())
        place_tree(PasswordsFile, file, steps);
    // Last, because what lies below them had to be made there.
    if (wanted.scratch == Scratch::None) make_scratch_read_only(wanted, steps);
}

}  // namespace husk::confine
