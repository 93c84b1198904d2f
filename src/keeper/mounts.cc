#include "mounts.h"

#include <asm/errno.h>
#include <asm/statfs.h>
#include <linux/fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>

#include "sys.h"

namespace mounts {
namespace {

constexpr unsigned empty_path = 0x1000;  // AT_EMPTY_PATH
constexpr unsigned recursive = 0x8000;   // AT_RECURSIVE
constexpr unsigned format = 0170000;
constexpr unsigned directory = 0040000;
constexpr unsigned link = 0120000;

long status_of(int object, sys::FileStatus& status) {
    constexpr unsigned type_and_inode = 0x1 | 0x100;  // STATX_TYPE | STATX_INO
    return sys::statx(object, "", empty_path, type_and_inode, &status);
}

long open_any(const char* path) {
    open_how how{};
    how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return sys::openat2(AT_FDCWD, path, &how, sizeof how);
}

bool is_same(const sys::FileStatus& status, const husk::wire::Identity& identity) {
    const uint64_t device = uint64_t{status.device_major} << 32 | status.device_minor;
    return device == identity.device && status.inode == identity.inode &&
           (status.mode & format) == identity.type;
}

// Every option by itself, as the kernel wants them: "size=4k,ro" is a string and a flag.
long configure(int context, const char* options) {
    char text[512];
    while (options != nullptr && *options != 0) {
        unsigned size = 0;
        char* value = nullptr;
        for (; *options != 0 && *options != ','; ++options) {
            if (size + 1 >= sizeof text) return -E2BIG;
            text[size] = *options;
            if (*options == '=' && value == nullptr) {
                text[size] = 0;
                value = text + size + 1;
            }
            ++size;
        }
        text[size] = 0;
        if (*options == ',') ++options;
        const long set = sys::fsconfig(
            context, value != nullptr ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG, text, value);
        if (set < 0) return set;
    }
    return 0;
}

// Before Linux 6.15 no file of a detached file system can be bound: an empty file is /dev/null.
long nothing(bool is_directory) {
    if (is_directory)
        return make("tmpfs", "size=4k,nr_inodes=1,mode=0555", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
    const long opened = open_any("/dev/null");
    if (opened < 0) return opened;
    int null = static_cast<int>(opened);
    const long tree = clone(null, Below::Left);
    sys::close_once(null);
    return tree;
}

long cover_object(int object, bool is_directory) {
    const long made = nothing(is_directory);
    if (made < 0) return made;
    int tree = static_cast<int>(made);
    long result = set_attributes(tree, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, Below::Left);
    if (result >= 0) result = attach(tree, object);
    sys::close_once(tree);
    return result;
}

}  // namespace

long open(const char* path, const husk::wire::Identity& identity) {
    const long opened = open_any(path);
    if (opened < 0 || identity.known == 0) return opened;
    const auto object = static_cast<int>(opened);
    sys::FileStatus status{};
    long wrong = status_of(object, status);
    if (wrong >= 0 && !is_same(status, identity)) wrong = -ESTALE;
    if (wrong >= 0) return opened;
    sys::close(object);
    return wrong;
}

Slot parent(const char* path) {
    static char above[4096];
    unsigned size = 0;
    unsigned last = 0;
    for (; path[size] != 0; ++size) {
        if (size + 1 >= sizeof above) return {-ENAMETOOLONG, nullptr};
        above[size] = path[size];
        if (path[size] == '/') last = size;
    }
    if (size == 0 || path[0] != '/') return {-EINVAL, nullptr};
    above[last == 0 ? 1 : last] = 0;
    return {open_any(above), path + last + 1};
}

long clone(int object, Below below) {
    return sys::open_tree(
        object, "",
        OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | empty_path | (below == Below::Taken ? recursive : 0));
}

long set_attributes(int root, uint64_t attributes, Below below) {
    if (attributes == 0) return 0;
    mount_attr set{};
    set.attr_set = attributes;
    return sys::mount_setattr(root, "", empty_path | (below == Below::Taken ? recursive : 0), &set,
                              sizeof set);
}

long make(const char* type, const char* options, uint64_t attributes) {
    const long opened = sys::fsopen(type, FSOPEN_CLOEXEC);
    if (opened < 0) return opened;
    int context = static_cast<int>(opened);
    long result = sys::fsconfig(context, FSCONFIG_SET_STRING, "source", type);
    if (result >= 0) result = configure(context, options);
    if (result >= 0) result = sys::fsconfig(context, FSCONFIG_CMD_CREATE, nullptr, nullptr);
    if (result >= 0)
        result = sys::fsmount(context, FSMOUNT_CLOEXEC, static_cast<unsigned>(attributes));
    sys::close_once(context);
    return result;
}

long attach(int tree, int target) {
    return sys::move_mount(tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

long attach(int tree, const char* path) {
    const long opened = open_any(path);
    if (opened < 0) return opened;
    int target = static_cast<int>(opened);
    const long attached = is_link(target) ? -ELOOP : attach(tree, target);
    sys::close_once(target);
    return attached;
}

long cover(const char* path, const husk::wire::Identity& identity, ToCover expected) {
    const long opened = open_any(path);
    if (opened < 0) return opened;
    int object = static_cast<int>(opened);
    sys::FileStatus status{};
    long result = status_of(object, status);
    const bool is_other = identity.known == 0 || !is_same(status, identity);
    const bool is_covered = expected.may_be_covered && is_other && is_mounted(object);
    const bool is_wrong =
        (identity.known != 0 && is_other) || (expected.must_be_mount && !is_mounted(object));
    if (result >= 0 && !is_covered) {
        if (is_wrong) result = -ESTALE;
        // A link needs no cover: the object that it leads to has one of its own.
        else if ((status.mode & format) != link)
            result = cover_object(object, (status.mode & format) == directory);
    }
    sys::close_once(object);
    return result;
}

long mount_on_itself(int object, uint64_t attributes) {
    const long cloned = clone(object, Below::Taken);
    if (cloned < 0) return cloned;
    int tree = static_cast<int>(cloned);
    long result = set_attributes(tree, attributes, Below::Taken);
    if (result >= 0) result = attach(tree, object);
    sys::close_once(tree);
    return result;
}

bool is_mounted(int object) {
    constexpr uint64_t mount_root = 0x2000;  // STATX_ATTR_MOUNT_ROOT
    sys::FileStatus status{};
    return status_of(object, status) >= 0 && (status.attributes & mount_root) != 0;
}

bool is_read_only(int object) {
    constexpr long read_only = 1;  // ST_RDONLY
    struct statfs info{};
    return sys::fstatfs(object, &info) == 0 && (info.f_flags & read_only) != 0;
}

bool is_link(int object) {
    sys::FileStatus status{};
    return status_of(object, status) < 0 || (status.mode & format) == link;
}

}  // namespace mounts
