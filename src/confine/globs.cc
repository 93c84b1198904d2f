#include "confine/globs.h"

#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "confine/names.h"
#include "confine/reading.h"
#include "confine/seen_file.h"
#include "confine/view.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// Each is a mount, and each directory is read before every call.
constexpr size_t most_matches = 256;
constexpr size_t most_entries = 50'000;
constexpr size_t most_parts = 63;

constexpr std::string_view any_depth = "**";

bool has_wildcard(const std::string& part) {
    return part.find_first_of("*?[") != std::string::npos;
}

// A name such as "[id]" stands for itself too.
bool fits(const std::string& part, const std::string& name) {
    return part == name || ::fnmatch(part.c_str(), name.c_str(), 0) == 0;
}

struct Glob {
    fs::path written;
    fs::path base = "/";             // up to the first wildcard
    std::vector<std::string> parts;  // behind it
};

Glob split(const fs::path& path) {
    Glob glob{.written = path, .parts = {}};
    for (const fs::path& part : without_stars(path).relative_path()) {
        if (glob.parts.empty() && !has_wildcard(part.native()))
            glob.base /= part;
        else
            glob.parts.push_back(part.native());
    }
    return glob;
}

// Returns the path without the leading directories that exist by exactly these names: a workspace
// may be called "{a,b}" or "!x".
fs::path without_existing(const fs::path& path) {
    fs::path above = "/";
    fs::path rest;
    std::error_code failed;
    for (const fs::path& part : path.relative_path()) {
        if (rest.empty() && fs::exists(fs::symlink_status(above / part, failed)))
            above /= part;
        else
            rest /= part;
    }
    return rest;
}

std::unexpected<Error> refused(const Glob& glob, const std::string& why) {
    return failure("protect", 0, glob.written.string() + " " + why);
}

// All of one walk. A directory is read once, whatever number of "**" leads to it: how far the
// pattern may have come is a set, one bit for each part that could be next.
class Walk {
public:
    Walk(const Glob& glob, Links links, std::vector<fs::path> roots, size_t& entries,
         std::vector<fs::path>& found)
        : glob_(glob), links_(links), roots_(std::move(roots)), entries_(entries), found_(found) {}

    Result<void> run() { return visit(glob_.base, with_skipped(1)); }

private:
    // "**" may stand for nothing.
    uint64_t with_skipped(uint64_t next) const {
        for (size_t i = 0; i < glob_.parts.size(); ++i)
            if ((next >> i & 1) != 0 && glob_.parts[i] == any_depth) next |= 2ULL << i;
        return next;
    }

    // How far it is behind an entry of this name.
    uint64_t step(uint64_t next, const std::string& name) const {
        uint64_t behind = 0;
        for (size_t i = 0; i < glob_.parts.size(); ++i) {
            if ((next >> i & 1) == 0) continue;
            if (glob_.parts[i] == any_depth)
                behind |= 1ULL << i;
            else if (fits(glob_.parts[i], name))
                behind |= 2ULL << i;
        }
        return behind;
    }

    bool is_done(uint64_t next) const { return (next >> glob_.parts.size() & 1) != 0; }

    // Everything else cannot be written anyway. No roots: everything can.
    bool is_wanted(const fs::path& path) const {
        return roots_.empty() || std::ranges::any_of(roots_, [&](const fs::path& root) {
                   return is_within(path, root);
               });
    }
    bool leads_to_wanted(const fs::path& directory) const {
        return is_wanted(directory) || std::ranges::any_of(roots_, [&](const fs::path& root) {
                   return is_within(root, directory);
               });
    }

    Result<void> visit(const fs::path& directory, uint64_t next) {
        std::error_code failed;
        fs::directory_iterator entries(directory, failed);
        if (is_gone(failed)) return {};
        if (failed)
            return refused(glob_, "cannot be told: " + directory.string() + " cannot be read (" +
                                      failed.message() + ")");
        for (; entries != fs::directory_iterator(); entries.increment(failed)) {
            if (++entries_ > most_entries)
                return refused(glob_, "would take looking at more than " +
                                          std::to_string(most_entries) +
                                          " files before each call; name a directory with fewer");
            const fs::path path = entries->path();
            const uint64_t behind = step(next, path.filename().native());
            if (behind == 0) continue;
            const fs::file_type type = entries->symlink_status(failed).type();
            if (is_done(behind)) {
                CHECK(take(path, type));
            } else if (type == fs::file_type::directory && leads_to_wanted(path)) {
                CHECK(visit(path, with_skipped(behind)));
            }
        }
        return {};
    }

    Result<void> take(const fs::path& path, fs::file_type type) {
        if (!is_wanted(path)) return {};
        if (type == fs::file_type::symlink && links_ == Links::Refused)
            return refused(glob_, "matches " + path.string() +
                                      ", which is a link and could be put in the place of "
                                      "another; name what it leads to");
        if (std::ranges::find(found_, path) == found_.end()) found_.push_back(path);
        if (found_.size() <= most_matches) return {};
        return refused(glob_, "matches more than " + std::to_string(most_matches) +
                                  " files, each of which would be a mount; name a directory");
    }

    const Glob& glob_;
    Links links_;
    std::vector<fs::path> roots_;
    size_t& entries_;
    std::vector<fs::path>& found_;
};

}  // namespace

fs::path without_stars(fs::path path) {
    while (path.has_relative_path() &&
           (path.filename() == any_depth || path.filename() == "*" || path.filename().empty()))
        path = path.parent_path();
    return path;
}

bool is_glob(const fs::path& path) { return has_wildcard(without_stars(path).native()); }

fs::path fixed_part(const fs::path& pattern) { return split(pattern).base; }

Result<void> check_globs(const std::vector<fs::path>& protect) {
    for (const fs::path& path : protect) {
        const fs::path written = without_existing(path);
        const std::string& text = written.native();
        const Glob glob = split(path);
        const size_t brace = text.find('{');
        const size_t comma = text.find(',', brace);
        if (brace != std::string::npos && text.find('}', comma) != std::string::npos)
            return refused(glob, "has braces, which stand for nothing here; write one for each");
        for (const fs::path& part : written)
            if (part.native().starts_with('!'))
                return refused(glob, "takes something out, which cannot be done here");
        if (std::ranges::find(glob.parts, "..") != glob.parts.end())
            return refused(glob, "has a .. behind a wildcard, which could be anywhere");
        if (glob.parts.size() > most_parts) return refused(glob, "has too many parts");
    }
    return {};
}

Result<std::vector<fs::path>> find_matches(const Wanted& wanted, Links links) {
    std::vector<fs::path> found;
    if (wanted.mode == Mode::ReadOnly) return found;
    size_t entries = 0;
    for (const fs::path& path : wanted.protect) {
        if (!is_glob(path)) continue;
        Glob glob = split(path);
        glob.base = NameWalk(held_roots(wanted)).add_links(glob.base);
        CHECK(Walk(glob, links, writable_roots(wanted), entries, found).run());
    }
    return found;
}

}  // namespace husk::confine
