// The directories in which commands of a conversation can make links.
#pragma once

#include <husk/request.h>

#include <filesystem>
#include <vector>

namespace husk::tool {

// The workspace, the writable roots and the cache, without links, whatever the mode is: commands of
// another mode may have been there before.
std::vector<std::filesystem::path> writable_places(const ToolContext& context);

}  // namespace husk::tool
