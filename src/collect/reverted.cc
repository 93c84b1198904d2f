#include "collect/reverted.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "os/events.h"
#include "os/file.h"

namespace husk::collect {
namespace {

constexpr const char* going_name = ".going";  // what is in there is removed, whatever it is
constexpr uint64_t least_size = 4096;

struct CloseDirectory {
    void operator()(DIR* dir) const { ::closedir(dir); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

// Symbolic links are not followed.
Directory open_directory(int at, const char* name) {
    const int fd = ::openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return nullptr;
    Directory dir(::fdopendir(fd));
    if (!dir) ::close(fd);
    return dir;
}

// The next name, or null at the end.
const char* next_name(const Directory& dir) {
    while (const dirent* entry = ::readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") return entry->d_name;
    }
    return nullptr;
}

struct Entry {
    std::string name;
    timespec taken{};  // when it came here
};

// A file with several names counts with its part for each of them.
uint64_t bytes_of(const struct stat& info) {
    constexpr uint64_t block = 512;
    const uint64_t names = S_ISDIR(info.st_mode) ? 1 : std::max<uint64_t>(info.st_nlink, 1);
    return std::max(static_cast<uint64_t>(info.st_blocks) * block / names, least_size);
}

// What a tree takes on disk; more than `most` where it takes more, or is too deep to tell.
uint64_t weigh(const os::Fd& top, const std::string& name, uint64_t most) {
    constexpr size_t deepest = 64;
    struct stat info{};
    if (::fstatat(top.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return 0;
    uint64_t sum = bytes_of(info);
    std::vector<Directory> way;
    if (S_ISDIR(info.st_mode)) way.push_back(open_directory(top.get(), name.c_str()));
    while (!way.empty() && sum <= most) {
        if (!way.back() || way.size() > deepest) return most + 1;
        const int at = ::dirfd(way.back().get());
        const char* inner = next_name(way.back());
        if (inner == nullptr) {
            way.pop_back();
        } else if (::fstatat(at, inner, &info, AT_SYMLINK_NOFOLLOW) == 0) {
            sum += bytes_of(info);
            if (S_ISDIR(info.st_mode)) way.push_back(open_directory(at, inner));
        }
    }
    return sum;
}

// Empties one directory of `going` and removes it. The directories in it become its neighbours, so
// that no depth and no length of a path matters. False when the time is over.
bool take_apart(const os::Fd& going, const char* name, os::Clock::time_point end) {
    ::fchmodat(going.get(), name, S_IRWXU, AT_SYMLINK_NOFOLLOW);
    const Directory dir = open_directory(going.get(), name);
    if (!dir) return true;
    while (const char* inner = next_name(dir)) {
        if (os::Clock::now() >= end) return false;
        const int at = ::dirfd(dir.get());
        if (::unlinkat(at, inner, 0) == 0) continue;
        constexpr int letters = 12;
        // A directory that cannot be written cannot be moved.
        ::fchmodat(at, inner, S_IRWXU, AT_SYMLINK_NOFOLLOW);
        ::renameat(at, inner, going.get(), random_id(letters).c_str());
    }
    ::unlinkat(going.get(), name, AT_REMOVEDIR);
    return true;
}

// True when nothing is left that could be removed.
bool clear(const os::Fd& going, os::Clock::time_point end) {
    for (bool progress = true; progress;) {
        progress = false;
        const Directory all = open_directory(going.get(), ".");
        while (const char* name = all ? next_name(all) : nullptr) {
            if (os::Clock::now() >= end) return false;
            if (::unlinkat(going.get(), name, 0) == 0 ||
                ::unlinkat(going.get(), name, AT_REMOVEDIR) == 0) {
                progress = true;
                continue;
            }
            if (!take_apart(going, name, end)) return false;
            struct stat info{};
            if (::fstatat(going.get(), name, &info, AT_SYMLINK_NOFOLLOW) != 0) progress = true;
        }
    }
    return true;
}

// The newest first.
std::vector<Entry> entries_of(const os::Fd& top) {
    std::vector<Entry> entries;
    const Directory all = open_directory(top.get(), ".");
    while (const char* name = all ? next_name(all) : nullptr) {
        struct stat info{};
        if (std::string_view(name) != going_name &&
            ::fstatat(top.get(), name, &info, AT_SYMLINK_NOFOLLOW) == 0)
            entries.push_back({name, info.st_ctim});
    }
    std::ranges::sort(entries, [](const Entry& one, const Entry& other) {
        return std::pair(one.taken.tv_sec, one.taken.tv_nsec) >
               std::pair(other.taken.tv_sec, other.taken.tv_nsec);
    });
    return entries;
}

void give_up(const os::Fd& top, const std::string& name, const os::Fd& going) {
    constexpr int letters = 12;
    ::fchmodat(top.get(), name.c_str(), S_IRWXU, AT_SYMLINK_NOFOLLOW);
    ::renameat(top.get(), name.c_str(), going.get(), random_id(letters).c_str());
}

}  // namespace

RevertedRest sweep_reverted(const run::StateDir& state, const RevertedBounds& bounds) {
    RevertedRest rest;
    const auto top = os::open_at(state.dir(), "reverted", O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!top || !os::make_directory_at(*top, going_name)) return rest;
    const auto going = os::open_at(*top, going_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!going) return rest;
    size_t kept = 0;
    bool full = false;
    for (const Entry& entry : entries_of(*top)) {
        const uint64_t bytes = full ? 0 : weigh(*top, entry.name, bounds.bytes);
        // One that is too large by itself does not push the others out.
        const bool too_large = bytes > bounds.bytes;
        full = full || kept == bounds.entries || (!too_large && rest.bytes + bytes > bounds.bytes);
        if (full || too_large) {
            give_up(*top, entry.name, *going);
        } else {
            rest.bytes += bytes;
            ++kept;
        }
    }
    rest.still_going = !clear(*going, os::Clock::now() + bounds.removing);
    return rest;
}

}  // namespace husk::collect
