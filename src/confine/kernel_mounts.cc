#include "confine/kernel_mounts.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "confine/located.h"
#include "confine/reading.h"
#include "confine/view.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// Their files are the kernel itself: settings, processes, devices.
constexpr auto kernel_types = std::to_array<std::string_view>(
    {"proc",       "sysfs",      "devtmpfs", "devpts",      "cgroup",    "cgroup2",   "cpuset",
     "securityfs", "bpf",        "configfs", "efivarfs",    "fusectl",   "mqueue",    "nsfs",
     "resctrl",    "rpc_pipefs", "nfsd",     "binfmt_misc", "selinuxfs", "smackfs",   "apparmorfs",
     "binder",     "functionfs", "xenfs",    "gadgetfs",    "usbfs",     "openpromfs"});

// Each of these is private, read-only or withheld under this name.
constexpr auto usual_places = std::to_array<const char*>({"/proc", "/sys", "/dev", "/run"});

// They show root the insides of the kernel, and no command needs them.
constexpr auto never_shown = std::to_array<std::string_view>({"debugfs", "tracefs", "pstore"});

template <class List>
bool lists(const List& list, std::string_view type) {
    return std::ranges::find(list, type) != list.end();
}

bool is_usual(const fs::path& path) {
    return std::ranges::any_of(usual_places,
                               [&](const char* place) { return is_within(path, place); });
}

const MountedTree* find(const std::vector<MountedTree>& trees, uint64_t number) {
    const auto found = std::ranges::find(trees, number, &MountedTree::number);
    return found == trees.end() ? nullptr : &*found;
}

// Whether something is mounted over it, or over a directory above it. Only the numbers tell that:
// a command can rename directories while one looks.
bool is_hidden(const MountedTree& tree, const std::vector<MountedTree>& trees) {
    std::vector<uint64_t> line = {tree.number};
    for (const MountedTree* one = find(trees, tree.parent);
         one != nullptr && std::ranges::find(line, one->number) == line.end();
         one = find(trees, one->parent))
        line.push_back(one->number);
    const auto is_in_line = [&](uint64_t number) {
        return std::ranges::find(line, number) != line.end();
    };
    return std::ranges::any_of(trees, [&](const MountedTree& other) {
        return is_in_line(other.parent) && !is_in_line(other.number) &&
               is_within(tree.point, other.point);
    });
}

// Whether the path leads to this file system. A directory in a mount is taken to do so.
bool is_visible(const KernelMount& mount, const std::vector<MountedTree>& trees) {
    return !mount.is_mount || std::ranges::any_of(trees, [&](const MountedTree& tree) {
        return tree.point == mount.path && tree.device == mount.device && !is_hidden(tree, trees);
    });
}

bool is_for_the_resolver(const fs::path& path) {
    return std::ranges::any_of(readable_in_run,
                               [&](const char* readable) { return is_within(path, readable); });
}

// The places themselves, and what else is mounted below /run and holds secrets in memory
// (/run/user, /run/credentials). Disks may be mounted there too; they are withheld only there.
std::vector<fs::path> sources(const std::vector<MountedTree>& trees) {
    std::vector<fs::path> all(usual_places.begin(), usual_places.end());
    for (const MountedTree& tree : trees)
        if (is_within(tree.point, "/run") && (tree.type == "tmpfs" || tree.type == "ramfs"))
            all.push_back(tree.point);
    return all;
}

// The object that a cover has to find at the name. In a root a command may be exchanging the name
// with another one right now, so what is seen there proves nothing by itself.
wire::Identity identity_of(const KernelMount& mount, bool is_in_root) {
    const auto seen = seen_at(mount.path);
    if (!is_in_root) return seen.value_or(identity_of_nothing());
    if (!mount.object.empty())
        if (const auto usual = seen_at(mount.object); usual) return *usual;
    if (!seen) return identity_of_nothing();
    const std::string device =
        std::to_string(seen->device >> 32) + ":" + std::to_string(seen->device & 0xffffffff);
    return device == mount.device ? *seen : identity_of_nothing();
}

bool lies_in_root(const Wanted& wanted, const fs::path& path) {
    const std::vector<fs::path> roots = writable_roots(wanted);
    return is_within(path, wanted.workspace) ||
           std::ranges::any_of(roots, [&](const fs::path& root) { return is_within(path, root); });
}

}  // namespace

std::vector<KernelMount> kernel_mounts(const std::vector<MountedTree>& trees) {
    std::vector<KernelMount> found;
    const auto add = [&](const fs::path& path, const std::string& device, const fs::path& object) {
        if (std::ranges::find(found, path, &KernelMount::path) != found.end()) return;
        const bool is_mount = std::ranges::find(trees, path, &MountedTree::point) != trees.end();
        const KernelMount mount{path, device, object, is_mount};
        if (is_visible(mount, trees)) found.push_back(mount);
    };
    for (const MountedTree& tree : trees)
        if (lists(never_shown, tree.type) ||
            (lists(kernel_types, tree.type) && !is_usual(tree.point)))
            add(tree.point, tree.device, {});
    for (const fs::path& source : sources(trees))
        for (const OtherName& other : names_elsewhere(source, trees))
            if (!is_for_the_resolver(other.object) && !is_usual(other.name))
                add(other.name, tree_of(source, trees)->device, other.object);
    return found;
}

std::vector<KernelMount> withheld_mounts(const Wanted& wanted,
                                         const std::vector<MountedTree>& trees) {
    std::vector<KernelMount> found = kernel_mounts(trees);
    std::erase_if(found, [&](const KernelMount& mount) {
        return std::ranges::any_of(
            wanted.readable, [&](const fs::path& given) { return is_within(mount.path, given); });
    });
    return found;
}

Result<void> check_mounts(const Wanted& wanted, const std::vector<KernelMount>& mounts) {
    std::vector<fs::path> roots = writable_roots(wanted);
    roots.push_back(wanted.workspace);
    for (const KernelMount& mount : mounts) {
        for (const fs::path& root : roots)
            if (is_within(root, mount.path))
                return failure("workspace", 0,
                               root.string() + " is no place for a workspace: " +
                                   mount.path.string() + " leads to the machine's own directories");
        if (!wanted.machine.mount_namespace && lies_in_root(wanted, mount.path))
            return failure("workspace", 0,
                           mount.path.string() + " leads to the machine's own directories, and " +
                               "cannot be withheld without a mount namespace; unmount it, or " +
                               "take another directory");
    }
    return {};
}

void cover_mounts(const Wanted& wanted, const std::vector<KernelMount>& mounts, Steps& steps) {
    for (const KernelMount& mount : mounts) {
        const bool lies_in_another = std::ranges::any_of(mounts, [&](const KernelMount& other) {
            return mount.path != other.path && is_within(mount.path, other.path);
        });
        if (lies_in_another) continue;
        Step step{wire::WallOp::Cover, "withhold " + mount.path.string()};
        step.texts = {mount.path.string()};
        const bool is_in_root = lies_in_root(wanted, mount.path);
        step.identity = identity_of(mount, is_in_root);
        step.b = mount.is_mount ? 1 : 0;
        // An ordinary user cannot reach everything, and then commands cannot either. In a root they
        // could change that.
        step.optional = !is_in_root;
        steps.add(std::move(step));
    }
}

}  // namespace husk::confine
