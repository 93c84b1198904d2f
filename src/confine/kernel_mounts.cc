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
    {"proc",       "sysfs",      "devtmpfs",    "devpts",     "cgroup",  "cgroup2",
     "cpuset",     "debugfs",    "tracefs",     "securityfs", "bpf",     "configfs",
     "pstore",     "efivarfs",   "fusectl",     "mqueue",     "nsfs",    "resctrl",
     "rpc_pipefs", "nfsd",       "binfmt_misc", "selinuxfs",  "smackfs", "apparmorfs",
     "binder",     "functionfs", "xenfs",       "gadgetfs",   "usbfs",   "openpromfs"});

// Each of these is private, read-only or withheld under this name.
constexpr auto usual_places = std::to_array<const char*>({"/proc", "/sys", "/dev", "/run"});

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

// A directory in a mount is taken for visible.
bool is_visible(const fs::path& path, const std::vector<MountedTree>& trees) {
    bool is_mount = false;
    for (const MountedTree& tree : trees) {
        if (tree.point != path) continue;
        if (!is_hidden(tree, trees)) return true;
        is_mount = true;
    }
    return !is_mount;
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

std::string device_at(const fs::path& path, const std::vector<MountedTree>& trees) {
    const MountedTree* tree = tree_of(path, trees);
    return tree == nullptr ? "" : tree->device;
}

// A name in a root that leads to another file system is one that a command has just changed.
wire::Identity identity_at(const KernelMount& mount, bool is_in_root) {
    const auto seen = seen_at(mount.path);
    if (!seen) return identity_of_nothing();
    const std::string device =
        std::to_string(seen->device >> 32) + ":" + std::to_string(seen->device & 0xffffffff);
    return is_in_root && device != mount.device ? identity_of_nothing() : *seen;
}

bool lies_in_root(const Wanted& wanted, const fs::path& path) {
    const std::vector<fs::path> roots = writable_roots(wanted);
    return is_within(path, wanted.workspace) ||
           std::ranges::any_of(roots, [&](const fs::path& root) { return is_within(path, root); });
}

}  // namespace

std::vector<KernelMount> kernel_mounts(const std::vector<MountedTree>& trees) {
    std::vector<KernelMount> found;
    const auto add = [&](const fs::path& path) {
        const KernelMount mount{path, device_at(path, trees)};
        const bool is_known = std::ranges::find(found, mount) != found.end();
        if (!is_known && is_visible(path, trees)) found.push_back(mount);
    };
    for (const MountedTree& tree : trees)
        if (std::ranges::find(kernel_types, tree.type) != kernel_types.end() &&
            !is_usual(tree.point))
            add(tree.point);
    for (const fs::path& source : sources(trees))
        for (const fs::path& name : other_names(source, trees))
            if (!is_usual(name)) add(name);
    for (const char* readable : readable_in_run)
        for (const fs::path& name : other_names(readable, trees))
            std::erase_if(found, [&](const KernelMount& one) { return one.path == name; });
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
        step.identity = identity_at(mount, is_in_root);
        // An ordinary user cannot reach everything, and then commands cannot either. In a root they
        // could change that.
        step.optional = !is_in_root;
        steps.add(std::move(step));
    }
}

}  // namespace husk::confine
