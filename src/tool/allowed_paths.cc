#include "tool/allowed_paths.h"

#include <sys/stat.h>

#include <algorithm>

#include "confine/located.h"
#include "confine/reading.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> resolved(const std::vector<std::string>& list) {
    std::vector<fs::path> found;
    for (const std::string& entry : list)
        if (auto located = confine::locate(entry); located && located->identity.type == S_IFDIR)
            found.push_back(std::move(located->path));
    return found;
}

}  // namespace

std::vector<fs::path> resolved_in_both(const std::vector<std::string>& calls,
                                       const std::optional<std::vector<std::string>>& configured) {
    const std::vector<fs::path> asked = resolved(calls);
    if (!configured) return asked;
    std::vector<fs::path> both;
    const auto add = [&](const fs::path& path) {
        if (std::ranges::find(both, path) == both.end()) both.push_back(path);
    };
    for (const fs::path& bound : resolved(*configured))
        for (const fs::path& path : asked) {
            if (confine::is_within(path, bound))
                add(path);
            else if (confine::is_within(bound, path))
                add(bound);
        }
    return both;
}

}  // namespace husk::tool
