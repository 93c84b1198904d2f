// Changing what is known about a file, by every door the kernel has.
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

// Not in the headers of Debian 12.
constexpr long fchmodat2 = 452;
constexpr long setxattrat = 463;
constexpr long removexattrat = 466;
constexpr long file_getattr = 468;
constexpr long file_setattr = 469;

constexpr timespec long_ago[2] = {{86400, 0}, {86400, 0}};
constexpr timespec read_long_ago[2] = {{86400, 0}, {0, UTIME_OMIT}};

int reader(const std::string& path) { return ::open(path.c_str(), O_RDONLY); }

int answer(long result, const std::string& what) {
    return result >= 0 ? done : refused_or_absent(what);
}

int fchmod_reader(Arguments a) { return answer(::fchmod(reader(a[0]), 0700), "fchmod"); }

int chmod_by_link(Arguments a) {
    const int fd = ::open(a[0].c_str(), O_PATH);
    const std::string self = "/proc/self/fd/" + std::to_string(fd);
    return answer(::chmod(self.c_str(), 0700), "chmod");
}

int chmod_new(Arguments a) {
    return answer(::syscall(fchmodat2, AT_FDCWD, a[0].c_str(), 0700, 0), "fchmodat2");
}

int fchown_reader(Arguments a) { return answer(::fchown(reader(a[0]), 12345, 12345), "fchown"); }

int lchown_link(Arguments a) { return answer(::lchown(a[0].c_str(), 12345, 12345), "lchown"); }

int old_times(Arguments a) {
    return answer(::utimensat(AT_FDCWD, a[0].c_str(), long_ago, 0), "utimensat");
}

int old_link_times(Arguments a) {
    return answer(::utimensat(AT_FDCWD, a[0].c_str(), long_ago, AT_SYMLINK_NOFOLLOW), "utimensat");
}

int old_times_of_reader(Arguments a) {
    return answer(::futimens(reader(a[0]), long_ago), "futimens");
}

int old_reading_time(Arguments a) {
    return answer(::utimensat(AT_FDCWD, a[0].c_str(), read_long_ago, 0), "utimensat");
}

int utimes_call(Arguments a) {
    const timeval times[2] = {{86400, 0}, {86400, 0}};
    return answer(::syscall(SYS_utimes, a[0].c_str(), times), "utimes");
}

int set_attribute(Arguments a) {
    return answer(::setxattr(a[0].c_str(), a[1].c_str(), "spoiled", 7, 0), "setxattr");
}

int set_attribute_of_link(Arguments a) {
    return answer(::lsetxattr(a[0].c_str(), a[1].c_str(), "spoiled", 7, 0), "lsetxattr");
}

int set_attribute_of_reader(Arguments a) {
    return answer(::fsetxattr(reader(a[0]), a[1].c_str(), "spoiled", 7, 0), "fsetxattr");
}

int remove_attribute(Arguments a) {
    return answer(::removexattr(a[0].c_str(), a[1].c_str()), "removexattr");
}

int remove_attribute_of_reader(Arguments a) {
    return answer(::fremovexattr(reader(a[0]), a[1].c_str()), "fremovexattr");
}

int set_attribute_new(Arguments a) {
    struct {
        alignas(8) uint64_t value;
        uint32_t size;
        uint32_t flags;
    } what{reinterpret_cast<uint64_t>("spoiled"), 7, 0};
    return answer(
        ::syscall(setxattrat, AT_FDCWD, a[0].c_str(), 0, a[1].c_str(), &what, sizeof what),
        "setxattrat");
}

int remove_attribute_new(Arguments a) {
    return answer(::syscall(removexattrat, AT_FDCWD, a[0].c_str(), 0, a[1].c_str()),
                  "removexattrat");
}

// An access list that lets everybody write: version 2, five entries of tag, permissions, id.
int access_list(Arguments a) {
    struct Entry {
        uint16_t tag;
        uint16_t permissions;
        uint32_t id;
    };
    struct {
        uint32_t version;
        Entry entries[5];
    } list{2,
           {{0x01, 7, 0xffffffff},
            {0x02, 7, 12345},
            {0x04, 7, 0xffffffff},
            {0x10, 7, 0xffffffff},
            {0x20, 7, 0xffffffff}}};
    return answer(::setxattr(a[0].c_str(), "system.posix_acl_access", &list, sizeof list, 0),
                  "setxattr");
}

int give_capability(Arguments a) {
    vfs_cap_data data{};
    data.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
    data.data[0].permitted = 1U << CAP_CHOWN;
    return answer(::setxattr(a[0].c_str(), "security.capability", &data, sizeof data, 0),
                  "setxattr");
}

int no_dump_flag(Arguments a) {
    const int fd = reader(a[0]);
    int flags = 0;
    if (::ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0) return refused("FS_IOC_GETFLAGS");
    flags |= FS_NODUMP_FL;
    return answer(::ioctl(fd, FS_IOC_SETFLAGS, &flags), "FS_IOC_SETFLAGS");
}

int no_dump_extended(Arguments a) {
    const int fd = reader(a[0]);
    fsxattr attributes{};
    if (::ioctl(fd, FS_IOC_FSGETXATTR, &attributes) != 0) return refused("FS_IOC_FSGETXATTR");
    attributes.fsx_xflags |= FS_XFLAG_NODUMP;
    return answer(::ioctl(fd, FS_IOC_FSSETXATTR, &attributes), "FS_IOC_FSSETXATTR");
}

int no_dump_new(Arguments a) {
    struct {
        uint64_t xflags;
        uint32_t extsize;
        uint32_t nextents;
        uint32_t projid;
        uint32_t cowextsize;
    } attributes{};
    const char* path = a[0].c_str();
    if (::syscall(file_getattr, AT_FDCWD, path, &attributes, sizeof attributes, 0) != 0)
        return refused_or_absent("file_getattr");
    attributes.xflags |= FS_XFLAG_NODUMP;
    return answer(::syscall(file_setattr, AT_FDCWD, path, &attributes, sizeof attributes, 0),
                  "file_setattr");
}

int new_version(Arguments a) {
    int version = 4711;
    return answer(::ioctl(reader(a[0]), FS_IOC_SETVERSION, &version), "FS_IOC_SETVERSION");
}

constexpr Verb verbs[] = {
    {"fchmod", fchmod_reader},
    {"chmod-by-link", chmod_by_link},
    {"fchmodat2", chmod_new},
    {"fchown", fchown_reader},
    {"lchown", lchown_link},
    {"old-times", old_times},
    {"old-link-times", old_link_times},
    {"futimens", old_times_of_reader},
    {"old-reading-time", old_reading_time},
    {"utimes", utimes_call},
    {"setxattr", set_attribute},
    {"lsetxattr", set_attribute_of_link},
    {"fsetxattr", set_attribute_of_reader},
    {"removexattr", remove_attribute},
    {"fremovexattr", remove_attribute_of_reader},
    {"setxattrat", set_attribute_new},
    {"removexattrat", remove_attribute_new},
    {"access-list", access_list},
    {"give-capability", give_capability},
    {"setflags", no_dump_flag},
    {"fssetxattr", no_dump_extended},
    {"file-setattr", no_dump_new},
    {"setversion", new_version},
};

}  // namespace

std::span<const Verb> metadata_verbs() { return verbs; }

}  // namespace probe
