#include "tool/file_states.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "confine/reading.h"

namespace husk::tool {
FileStates::FileStates(std::vector<contract::NamedFile> files,
                       const std::vector<std::filesystem::path>& roots) {
    for (contract::NamedFile& file : files) {
        const bool is_seen =
            roots.empty() || std::ranges::any_of(roots, [&](const std::filesystem::path& root) {
                return confine::is_within(file.path, root);
            });
        const Look before = is_seen ? look_at(file.path) : Look{};
        known_.push_back({std::move(file), before});
    }
}

// A link itself, not what it leads to.
FileStates::Look FileStates::look_at(const std::string& path) {
    constexpr int64_t ns_in_s = 1'000'000'000;
    struct stat info{};
    if (::lstat(path.c_str(), &info) != 0) {
        const bool missing = errno == ENOENT || errno == ENOTDIR;
        return {.kind = missing ? Look::Kind::Missing : Look::Kind::Unknown};
    }
    return {.kind = Look::Kind::There,
            .device = info.st_dev,
            .inode = info.st_ino,
            .size = info.st_size,
            .changed_ns = info.st_ctim.tv_sec * ns_in_s + info.st_ctim.tv_nsec};
}

std::vector<contract::FileState> FileStates::now() const {
    using enum Look::Kind;
    std::vector<contract::FileState> states;
    for (const auto& [file, before] : known_) {
        const Look after = before.kind == Unknown ? before : look_at(file.path);
        const char* state = "unchanged";
        if (after.kind == Unknown)
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
