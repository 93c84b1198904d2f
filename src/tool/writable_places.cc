#include "tool/writable_places.h"

#include "confine/seen_file.h"
#include "tool/working_dir.h"

namespace husk::tool {

namespace fs = std::filesystem;

std::vector<fs::path> writable_places(const ToolContext& context) {
    fs::path workspace = context.workspace.empty() ? context.working_dir : context.workspace;
    if (!workspace.is_absolute()) workspace = own_working_dir().value_or("/") / workspace;
    std::vector<fs::path> places = {confine::without_links(workspace)};
    for (const fs::path& root : context.writable)
        places.push_back(confine::without_links(workspace / root));
    if (!context.cache.empty()) places.push_back(confine::without_links(workspace / context.cache));
    return places;
}

}  // namespace husk::tool
