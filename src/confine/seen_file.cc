#include "confine/seen_file.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <chrono>

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

FileIdentity identity_of(const struct stat& info, Extent extent) {
    if (extent == Extent::Itself)
        return {info.st_dev, info.st_ino, info.st_mode & S_IFMT, 0, 0, 0, 0, 0};
    return {info.st_dev,         info.st_ino,          info.st_mode,        info.st_size,
            info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec, info.st_ctim.tv_nsec};
}

bool has_settled(const struct stat& info) {
    using namespace std::chrono;
    const auto changed = seconds(info.st_ctim.tv_sec) + nanoseconds(info.st_ctim.tv_nsec);
    return system_clock::now().time_since_epoch() - changed > milliseconds(100);
}

int stat_of(const std::string& path, Extent extent, struct stat& info) {
    const int result =
        extent == Extent::Target ? ::stat(path.c_str(), &info) : ::lstat(path.c_str(), &info);
    return result == 0 ? 0 : errno;
}

}  // namespace

bool is_gone(int error) { return error == ENOENT || error == ENOTDIR; }
bool is_gone(const std::error_code& error) { return is_gone(error.value()); }

bool may_be_there(const fs::path& path) {
    struct stat info{};
    return !is_gone(stat_of(path.native(), Extent::Itself, info));
}

bool is_link(const fs::path& path) {
    std::error_code failed;
    return fs::is_symlink(path, failed);
}

SeenFile seen_as(std::string path, Extent extent, int error, const struct stat& info) {
    if (error != 0) return {std::move(path), extent, {}, is_gone(error)};
    return {std::move(path), extent, identity_of(info, extent),
            extent == Extent::Itself || has_settled(info)};
}

SeenFile see(std::string path, Extent extent) {
    struct stat info{};
    const int error = stat_of(path, extent, info);
    return seen_as(std::move(path), extent, error, info);
}

bool is_unchanged(const SeenFile& seen) {
    struct stat info{};
    const int error = stat_of(seen.path, seen.extent, info);
    const FileIdentity now = error == 0 ? identity_of(info, seen.extent) : FileIdentity{};
    return seen.is_certain && (error == 0 || is_gone(error)) && now == seen.identity;
}

bool is_another_object(const SeenFile& seen, uint64_t since) {
    struct statx now{};
    constexpr unsigned wanted = STATX_TYPE | STATX_INO | STATX_BTIME;
    if (::statx(AT_FDCWD, seen.path.c_str(), AT_SYMLINK_NOFOLLOW, wanted, &now) != 0) return false;
    const dev_t device = makedev(now.stx_dev_major, now.stx_dev_minor);
    const auto [known_device, known_inode, known_mode] =
        std::tuple(std::get<0>(seen.identity), std::get<1>(seen.identity),
                   std::get<2>(seen.identity) & S_IFMT);
    if (device != known_device || now.stx_ino != known_inode ||
        (now.stx_mode & S_IFMT) != known_mode)
        return true;
    using namespace std::chrono;
    const nanoseconds born = seconds(now.stx_btime.tv_sec) + nanoseconds(now.stx_btime.tv_nsec);
    return (now.stx_mask & STATX_BTIME) != 0 && born > nanoseconds(since);
}

fs::path without_links(const fs::path& path) {
    std::error_code failed;
    fs::path result = fs::weakly_canonical(path, failed);
    return failed ? path.lexically_normal() : result;
}

}  // namespace husk::confine
