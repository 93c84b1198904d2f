#include "confine/links.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "confine/reading.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;

// Before every call, so paths are compared as text.
bool is_below(std::string_view path, std::string_view root) {
    if (root == "/") return path.size() > 1;
    return path.size() > root.size() && path.starts_with(root) && path[root.size()] == '/';
}

const fs::path* root_of(const fs::path& path, const std::vector<fs::path>& roots) {
    const auto found = std::ranges::find_if(
        roots, [&](const fs::path& root) { return is_below(path.native(), root.native()); });
    return found == roots.end() ? nullptr : &*found;
}

// Calls `visit` with each path from below `root` to `path`, for as long as it says so.
template <class Visit>
void for_each_directory(std::string_view path, const fs::path& root, const Visit& visit) {
    size_t at = root == "/" ? 0 : root.native().size();
    while (at < path.size()) {
        at = std::min(path.find('/', at + 1), path.size());
        if (!visit(std::string(path.substr(0, at)))) return;
    }
}

}  // namespace

std::string_view parent_of(std::string_view path) { return path.substr(0, path.rfind('/')); }

std::optional<fs::path> target_of(const fs::path& link) {
    std::array<char, PATH_MAX> target{};
    const ssize_t size = ::readlink(link.c_str(), target.data(), target.size());
    if (size <= 0) return std::nullopt;
    return fs::path(std::string(target.data(), static_cast<size_t>(size)));
}

std::optional<fs::path> link_above(const fs::path& path, const fs::path& root,
                                   const std::vector<KeptLink>& known) {
    std::optional<fs::path> found;
    for_each_directory(parent_of(path.native()), root, [&](const std::string& above) {
        const auto target = target_of(above);
        const bool old = !target || std::ranges::any_of(known, [&](const KeptLink& one) {
            return one.path.native() == above && one.target == *target;
        });
        if (!old) found = above;
        return old;
    });
    return found;
}

fs::path without_links(const fs::path& path) {
    std::error_code failed;
    fs::path result = fs::weakly_canonical(path, failed);
    return failed ? path.lexically_normal() : result;
}

std::vector<SeenFile> add_links_above(Protected& names, const std::vector<fs::path>& roots) {
    std::set<std::string, std::less<>> done;
    std::vector<SeenFile> ways;
    for (const auto* paths : {&names.present, &names.absent}) {
        for (const fs::path& path : *paths) {
            const fs::path* root = root_of(path, roots);
            const std::string_view parent = parent_of(path.native());
            if (root == nullptr || parent == root->native() || done.contains(parent)) continue;
            // Git does not enter a repository through a link.
            if (path.native().ends_with("/.git")) continue;
            for_each_directory(parent, *root, [&](std::string above) {
                if (!done.insert(above).second) return true;
                ways.push_back(see(above, true));
                if (auto target = target_of(above); target)
                    names.links.push_back({std::move(above), *std::move(target)});
                return true;
            });
        }
    }
    return ways;
}

std::vector<fs::path> behind_links(const Protected& names, const std::vector<fs::path>& roots) {
    std::vector<fs::path> found;
    if (names.links.empty()) return found;
    const auto add = [&](const fs::path& path) {
        const bool linked = std::ranges::any_of(
            names.links, [&](const KeptLink& link) { return is_within(path, link.path); });
        if (!linked) return;
        // Also where it leads to nothing yet.
        const auto target = target_of(path);
        std::error_code failed;
        fs::path real = fs::weakly_canonical(target ? path.parent_path() / *target : path, failed);
        if (!failed && real != path && root_of(real, roots) != nullptr)
            found.push_back(std::move(real));
    };
    for (const fs::path& path : names.present) add(path);
    for (const fs::path& path : names.absent) add(path);
    return found;
}

}  // namespace husk::confine
