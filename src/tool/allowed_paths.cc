#include "tool/allowed_paths.h"

#include <sys/stat.h>

#include <algorithm>

#include "confine/located.h"
#include "confine/reading.h"
#include "confine/replaceable_links.h"

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

Directories resolved_without_links(const Directories& list, const Directories& writable_places) {
    Directories found;
    for (const fs::path& entry : list)
        for (fs::path& one : resolved({entry}))
            if (confine::leads_without_links_in(writable_places, entry, one))
                found.push_back(std::move(one));
    return found;
}

Directories in_both(const Directories& some, const Directories& others) {
    Directories both;
    const auto add = [&](const fs::path& path) {
        if (std::ranges::find(both, path) == both.end()) both.push_back(path);
    };
    for (const fs::path& other : others)
        for (const fs::path& one : some) {
            if (confine::is_within(one, other))
                add(one);
            else if (confine::is_within(other, one))
                add(other);
        }
    return both;
}

}  // namespace

std::optional<Directories> allowed_by_all(const AllowedLists& lists,
                                          const Directories& writable_places) {
    std::optional<Directories> allowed;
    const auto narrow = [&](Directories list) {
        allowed = allowed ? in_both(*allowed, list) : std::move(list);
    };
    if (lists.call) narrow(resolved(*lists.call));
    for (const auto* users : {&lists.configured, &lists.conversations})
        if (*users) narrow(resolved_without_links(**users, writable_places));
    return allowed;
}

}  // namespace husk::tool
