#include "tool/file_states.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "confine/located.h"
#include "confine/reading.h"
#include "os/fd.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

// The directory, reached from another one through no link.
os::Fd open_without_links(const os::Fd& from, const fs::path& relative) {
    open_how how{};
    how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const char* path = relative.empty() ? "." : relative.c_str();
    return os::Fd(static_cast<int>(::syscall(SYS_openat2, from.get(), path, &how, sizeof how)));
}

bool lies_in_one_of(const fs::path& path, const std::vector<fs::path>& directories) {
    return std::ranges::any_of(directories, [&](const fs::path& directory) {
        return confine::is_within(path, directory);
    });
}

}  // namespace

FileStates::FileStates(std::vector<contract::NamedFile> files, const std::vector<fs::path>& roots,
                       std::optional<std::vector<fs::path>> allowed)
    : allowed_(std::move(allowed)) {
    for (contract::NamedFile& file : files) {
        const fs::path path = fs::path(file.path).lexically_normal();
        const auto root = std::ranges::find_if(
            roots, [&](const fs::path& one) { return confine::is_within(path, one); });
        const bool is_seen = roots.empty() || root != roots.end();
        const fs::path above = root == roots.end() ? fs::path() : *root;
        const Look before = is_seen ? look_at(path, above) : Look{};
        known_.push_back({std::move(file), above, before});
    }
}

// A link itself, not what it leads to.
FileStates::Look FileStates::look_at(const fs::path& path, const fs::path& root) const {
    constexpr int64_t ns_in_s = 1'000'000'000;
    const auto failed = [] {
        const bool missing = errno == ENOENT || errno == ENOTDIR;
        return Look{.kind = missing ? Look::Kind::Missing : Look::Kind::Unknown};
    };
    struct stat info{};
    if (root.empty()) {
        if (::lstat(path.c_str(), &info) != 0) return failed();
    } else {
        const os::Fd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!top) return failed();
        fs::path relative = path.lexically_relative(root);
        if (!relative.has_filename()) relative = relative.parent_path();
        const os::Fd directory = open_without_links(top, relative.parent_path());
        if (!directory) return failed();
        const fs::path name = relative.filename();
        if (allowed_ &&
            !lies_in_one_of((fs::path(confine::name_of(directory)) / name).lexically_normal(),
                            *allowed_))
            return {};
        if (::fstatat(directory.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0)
            return failed();
    }
    return {.kind = Look::Kind::There,
            .is_link = S_ISLNK(info.st_mode),
            .device = info.st_dev,
            .inode = info.st_ino,
            .size = info.st_size,
            .changed_ns = info.st_ctim.tv_sec * ns_in_s + info.st_ctim.tv_nsec};
}

std::vector<contract::FileState> FileStates::now() const {
    using enum Look::Kind;
    std::vector<contract::FileState> states;
    for (const auto& [file, root, before] : known_) {
        const Look after =
            before.kind == Unknown ? before : look_at(fs::path(file.path).lexically_normal(), root);
        // The command may have changed the file that a link leads to.
        const bool is_same_link = after.is_link && after == before;
        const char* state = "unchanged";
        if (after.kind == Unknown || is_same_link)
            state = "unknown";
        else if (after.kind == Missing)
            state = before.kind == Missing ? "missing" : "removed";
        else if (before.kind == Missing)
            state = "created";
        else if (after != before)
            state = "changed";
        states.push_back({file, state});
    }
    return states;
}

}  // namespace husk::tool
