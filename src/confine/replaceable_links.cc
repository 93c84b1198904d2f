#include "confine/replaceable_links.h"

#include <algorithm>
#include <utility>

#include "confine/names.h"

namespace husk::confine {

namespace fs = std::filesystem;

namespace {

bool has_link(const Names& names) {
    return std::ranges::any_of(names,
                               [](const auto& entry) { return entry.second.state == State::Link; });
}

}  // namespace

bool leads_without_links_in(const Roots& roots, const fs::path& path, const fs::path& found) {
    NameWalk walk(roots);
    // The name of something missing may have kept the slash at its end.
    const fs::path target = found.has_filename() ? found : found.parent_path();
    return walk.add_links(path) == target && !has_link(std::move(walk).take());
}

Result<fs::path> found_without_links_in(const Roots& roots, const char* setting,
                                        const fs::path& path) {
    NameWalk walk(roots);
    fs::path found = walk.add_links(path);
    if (!has_link(std::move(walk).take())) return found;
    return std::unexpected(leads_through_link(setting, path, found));
}

Error leads_through_link(const char* setting, const fs::path& path, const fs::path& found) {
    return {setting, 0,
            path.string() + " leads through a link to " + found.string() +
                "; give that path if it is meant"};
}

}  // namespace husk::confine
