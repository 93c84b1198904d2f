#include "confine/seen_file.h"

#include <fcntl.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <chrono>

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// Nanoseconds since 1970.
int64_t time_of(const struct statx_timestamp& time) {
    constexpr int64_t second = 1'000'000'000;
    return time.tv_sec * second + time.tv_nsec;
}

FileIdentity identity_of(const struct statx& info) {
    const bool is_birth_known = (info.stx_mask & STATX_BTIME) != 0;
    return {.device = makedev(info.stx_dev_major, info.stx_dev_minor),
            .inode = info.stx_ino,
            .type = info.stx_mode & mode_t{S_IFMT},
            .born = is_birth_known ? time_of(info.stx_btime) : 0,
            .mode = info.stx_mode,
            .size = info.stx_size,
            .modified = time_of(info.stx_mtime),
            .changed = time_of(info.stx_ctime)};
}

bool has_settled(const FileIdentity& identity) {
    using namespace std::chrono;
    const nanoseconds changed(identity.changed);
    return system_clock::now().time_since_epoch() - changed > milliseconds(100);
}

}  // namespace

bool is_gone(int error) { return error == ENOENT || error == ENOTDIR; }
bool is_gone(const std::error_code& error) { return is_gone(error.value()); }

bool may_be_there(const fs::path& path) {
    return !is_gone(see(path.native(), Extent::Itself).error);
}

bool is_link(const fs::path& path) {
    return see(path.native(), Extent::Itself).identity.type == S_IFLNK;
}

SeenFile see_in(int directory, const std::string& path, Extent extent) {
    SeenFile seen{.path = path, .extent = extent};
    struct statx info{};
    const char* name = path.c_str() + (directory == AT_FDCWD ? 0 : path.rfind('/') + 1);
    const int flags = extent == Extent::Target ? 0 : AT_SYMLINK_NOFOLLOW;
    constexpr unsigned wanted = STATX_BASIC_STATS | STATX_BTIME;
    seen.error = ::statx(directory, name, flags, wanted, &info) == 0 ? 0 : errno;
    if (seen.error == 0) seen.identity = identity_of(info);
    seen.is_certain = seen.error == 0 ? has_settled(seen.identity) : is_gone(seen.error);
    if (extent != Extent::Itself || seen.error != 0) return seen;
    seen.identity = seen.identity.itself();
    seen.is_certain = true;
    return seen;
}

SeenFile see(const std::string& path, Extent extent) { return see_in(AT_FDCWD, path, extent); }

// ENOTDIR and ENOENT both say that nothing is there.
bool is_unchanged(const SeenFile& seen) {
    const SeenFile now = see(seen.path, seen.extent);
    return seen.is_certain && (now.error == 0 || is_gone(now.error)) &&
           now.identity == seen.identity;
}

bool is_another_object(const SeenFile& seen) {
    const SeenFile now = see(seen.path, Extent::Itself);
    return now.error == 0 && now.identity != seen.identity.itself();
}

fs::path without_links(const fs::path& path) {
    std::error_code failed;
    fs::path result = fs::weakly_canonical(path, failed);
    return failed ? path.lexically_normal() : result;
}

}  // namespace husk::confine
