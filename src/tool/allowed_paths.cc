#include "tool/allowed_paths.h"

#include <sys/stat.h>

#include <algorithm>

#include "confine/located.h"
#include "confine/reading.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

Directories resolved(const Directories& list) {
    Directories found;
    for (const fs::path& entry : list)
        if (auto located = confine::locate(entry); located && located->identity.type == S_IFDIR)
            found.push_back(std::move(located->path));
    return found;
}

}  // namespace

Directories resolved_in_both(const Directories& asked, const std::optional<Directories>& bounds) {
    const Directories wanted = resolved(asked);
    if (!bounds) return wanted;
    Directories both;
    const auto add = [&](const fs::path& path) {
        if (std::ranges::find(both, path) == both.end()) both.push_back(path);
    };
    for (const fs::path& bound : resolved(*bounds))
        for (const fs::path& one : wanted) {
            if (confine::is_within(one, bound))
                add(one);
            else if (confine::is_within(bound, one))
                add(bound);
        }
    return both;
}

}  // namespace husk::tool
