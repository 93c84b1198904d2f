#include "confine/view.h"

#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>

#include "confine/reading.h"
#include "confine/secrets.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;
using wire::WallOp;

// The session's private memory. It is mounted where it will be covered by a part of itself, so
// that nobody inside can reach the rest: not what the layers of the home are made of.
const fs::path store = "/tmp";

constexpr const char* devices[] = {"null", "zero", "full", "random", "urandom", "tty"};

enum Slot : uint64_t { HomeBelow, HomeMerged, Devices, Temporary, Logs, FirstRoot };

void clone_tree(const fs::path& path, uint64_t slot, Steps& steps) {
    steps.add(
        {WallOp::CloneTree, "copy the mounts of " + path.string(), slot, 1, 0, {path.string()}});
}

void place_tree(uint64_t slot, const fs::path& path, Steps& steps) {
    // What lies in a private place has to be made there first.
    for (const char* private_place : {"/tmp", "/dev/shm"})
        if (is_within(path, private_place) && path != private_place)
            steps.make_directories(private_place, path);
    steps.add({WallOp::PlaceTree, "mount " + path.string(), slot, 0, 0, {path.string()}});
}

// A whiteout in the upper layer hides what is below, also if it comes only later.
void hide(const fs::path& upper, const fs::path& hidden, Steps& steps) {
    steps.make_directories(upper, (upper / hidden).parent_path());
    const std::string path = upper / hidden;
    steps.add({WallOp::MakeWhiteout, "hide ~/" + hidden.string(), 0, 0, 0, {path}});
}

bool is_given(const Wanted& wanted, const fs::path& secret) {
    return std::ranges::any_of(wanted.readable, [&](const fs::path& opened) {
        return is_within(opened, secret) || is_within(secret, opened);
    });
}

void add_home(const Wanted& wanted, Steps& steps) {
    const fs::path below = store / "below";
    const fs::path upper = store / "upper";
    steps.make_directory(below);
    steps.add({WallOp::PlaceTree, "mount " + below.string(), HomeBelow, 0, 0, {below.string()}});
    struct stat info{};
    const unsigned mode = ::stat(wanted.home.c_str(), &info) == 0 ? info.st_mode & 0777 : 0700;
    steps.make_directory(upper, mode);
    steps.make_directory(store / "work", 0700);
    steps.make_directory(store / "merged");
    for (const fs::path& secret : secrets_in_home(wanted))
        hide(upper, secret.lexically_relative(wanted.home), steps);
    if (is_within(wanted.state, wanted.home))
        hide(upper, wanted.state.lexically_relative(wanted.home), steps);
    const std::string layers = "lowerdir=" + below.string() + ",upperdir=" + upper.string() +
                               ",workdir=" + (store / "work").string() +
                               (wanted.machine.user_namespace ? ",userxattr" : "");
    const std::string merged = store / "merged";
    steps.add_with(mechanism::overlay, {WallOp::Mount,
                                        "mount overlay on " + merged,
                                        MS_NOSUID | MS_NODEV,
                                        0,
                                        0,
                                        {"overlay", merged, "overlay", layers}});
    clone_tree(store / "merged", HomeMerged, steps);
}

void add_devices(Steps& steps) {
    const fs::path dev = store / "dev";
    steps.make_directory(dev);
    for (const char* device : devices) {
        steps.make_file(dev / device);
        steps.bind(fs::path("/dev") / device, dev / device);
    }
    steps.make_directory(dev / "pts");
    steps.mount("devpts", dev / "pts", MS_NOSUID | MS_NOEXEC,
                "newinstance,ptmxmode=0666,mode=0620");
    const std::pair<const char*, const char*> links[] = {{"pts/ptmx", "ptmx"},
                                                         {"/proc/self/fd", "fd"},
                                                         {"/proc/self/fd/0", "stdin"},
                                                         {"/proc/self/fd/1", "stdout"},
                                                         {"/proc/self/fd/2", "stderr"}};
    for (const auto& [target, name] : links)
        steps.add(
            {WallOp::MakeLink, "make /dev/" + std::string(name), 0, 0, 0, {target, dev / name}});
    steps.make_directory(dev / "shm", 01777);
    steps.make_directory(store / "shm", 01777);
    steps.bind(store / "shm", dev / "shm");
    clone_tree(dev, Devices, steps);
}

bool lies_in_something_private(const Wanted& wanted) {
    const auto below = [&](const fs::path& place) {
        return wanted.workspace != place && is_within(wanted.workspace, place);
    };
    return below("/tmp") || below("/dev/shm") || (has_home(wanted) && below(wanted.home));
}

// No rule of Landlock grants them, unless the home lies in something private, which is granted as a
// whole.
void cover_secrets(const Wanted& wanted, Steps& steps) {
    std::error_code failed;
    for (const fs::path& secret : secrets_in_home(wanted)) {
        const fs::file_type type = fs::symlink_status(secret, failed).type();
        if (type == fs::file_type::directory)
            steps.mount("tmpfs", secret, MS_NOSUID | MS_NODEV | MS_RDONLY, "size=4k,mode=0700");
        if (type == fs::file_type::regular) steps.bind("/dev/null", secret);
    }
}

// "/" is there already; it only stays writable.
std::vector<fs::path> roots_to_mount(const Wanted& wanted) {
    std::vector<fs::path> roots = writable_roots(wanted);
    std::erase(roots, "/");
    return roots;
}

}  // namespace

bool has_home(const Wanted& wanted) { return !wanted.home.empty() && wanted.machine.overlay; }

std::vector<fs::path> secrets_in_home(const Wanted& wanted) {
    std::vector<fs::path> all;
    for (const char* secret : secrets_of_home())
        if (!wanted.home.empty() && !is_given(wanted, wanted.home / secret))
            all.push_back(wanted.home / secret);
    return all;
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

fs::path home_inside(const Wanted& wanted) {
    if (has_home(wanted)) return wanted.home;
    return wanted.machine.mount_namespace ? "/tmp/home" : wanted.scratch_dir / "home";
}

// Terminals and shared memory are private only by mounts.
std::vector<fs::path> scratch_places(const Wanted& wanted) {
    std::vector<fs::path> places = {temporary_inside(wanted), home_inside(wanted)};
    if (wanted.machine.mount_namespace) places.insert(places.end(), {"/dev/shm", "/dev/pts"});
    return places;
}

void add_view(const Wanted& wanted, Steps& steps) {
    // Before anything is covered or made read-only: what is to be seen as it is.
    std::vector<fs::path> roots = roots_to_mount(wanted);
    const bool all_is_root = roots.size() != writable_roots(wanted).size();
    // What may only be read would seem writable where it lies in something private.
    const bool read_only = wanted.mode == Mode::ReadOnly;
    if (read_only && lies_in_something_private(wanted)) roots.push_back(wanted.workspace);
    for (size_t i = 0; i < roots.size(); ++i) clone_tree(roots[i], FirstRoot + i, steps);
    if (!wanted.logs.empty()) clone_tree(wanted.logs, Logs, steps);
    const bool shows_home = !wanted.home.empty() && !all_is_root;
    if (shows_home) clone_tree(wanted.home, HomeBelow, steps);

    const uint64_t attributes = all_is_root ? 0 : MOUNT_ATTR_RDONLY;
    steps.add({WallOp::SetAttributes,
               "make everything read-only",
               attributes | MOUNT_ATTR_NOSUID,
               0,
               1,
               {"/"}});
    steps.mount("tmpfs", store, MS_NOSUID | MS_NODEV,
                "mode=0755,size=" + std::to_string(wanted.scratch_bytes));
    if (shows_home && has_home(wanted)) add_home(wanted, steps);
    add_devices(steps);
    steps.make_directory(store / "tmp", 01777);
    if (!has_home(wanted)) steps.make_directory(store / "tmp" / "home", 0700);
    clone_tree(store / "tmp", Temporary, steps);

    place_tree(Devices, "/dev", steps);
    steps.make_read_only("/dev");
    steps.add({WallOp::PlaceTree, "mount a private /tmp", Temporary, 0, 0, {"/tmp"}});
    if (all_is_root) steps.make_read_only("/sys", true);
    if (shows_home) place_tree(has_home(wanted) ? HomeMerged : HomeBelow, wanted.home, steps);
    if (shows_home && !has_home(wanted)) {
        steps.make_read_only(wanted.home, true);
        cover_secrets(wanted, steps);
    }
    for (size_t i = 0; i < roots.size(); ++i) {
        place_tree(FirstRoot + i, roots[i], steps);
        if (read_only) steps.make_read_only(roots[i], true);
    }
    if (!wanted.logs.empty()) {
        if (is_within(wanted.logs, wanted.home)) steps.make_directories(wanted.home, wanted.logs);
        place_tree(Logs, wanted.logs, steps);
        steps.make_read_only(wanted.logs);
    }
    // Last, because what lies below them had to be made there.
    if (wanted.scratch == Scratch::None) {
        steps.make_read_only("/tmp");
        steps.make_read_only("/dev/shm");
        if (has_home(wanted)) steps.make_read_only(wanted.home);
    }
}

}  // namespace husk::confine
