// What of os/file.h only Linux has.
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

#include "os/file.h"

namespace husk::os {

Result<Fd> open_for_all(const std::filesystem::path& path, int flags) {
    open_how how{};
    how.flags = static_cast<__u64>(flags | O_CLOEXEC);
    how.resolve = RESOLVE_NO_MAGICLINKS;
    Fd file(static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
    // Linux before 5.6 has no walls that a command could get round in this way.
    if (!file && errno == ENOSYS) return open(path, flags);
    if (!file) return failure("open", errno, path.string());
    struct statfs info{};
    if (::fstatfs(file.get(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC)
        return failure("open", ELOOP, path.string());
    return file;
}

Result<Fd> text_file(std::string_view content) {
    Fd file(::memfd_create("husk-input", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file) return failure("memfd_create", errno, "");
    CHECK(write_all(file.get(), content));
    if (::lseek(file.get(), 0, SEEK_SET) < 0) return failure("lseek", errno, "");
    return file;
}

void seal(const Fd& file) {
    ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

bool is_pipe(const Fd& file) {
    struct statfs info{};
    return ::fstatfs(file.get(), &info) == 0 && info.f_type == PIPEFS_MAGIC;
}

bool is_network_file_system(const Fd& dir) {
    struct statfs info{};
    if (::fstatfs(dir.get(), &info) != 0) return false;
    constexpr unsigned long cifs = 0xFF534D42;
    const auto type = static_cast<unsigned long>(info.f_type);
    return type == NFS_SUPER_MAGIC || type == cifs || type == SMB_SUPER_MAGIC;
}

void spread_directories_in(const Fd& dir) {
    int flags = 0;
    if (::ioctl(dir.get(), FS_IOC_GETFLAGS, &flags) != 0 || (flags & FS_TOPDIR_FL) != 0) return;
    flags |= FS_TOPDIR_FL;
    ::ioctl(dir.get(), FS_IOC_SETFLAGS, &flags);  // where it cannot be had, nothing is lost
}

}  // namespace husk::os
