// A directory for the caches of tools that the sessions of `workspace` mode share. What one command
// leaves there, every later one may use, so it is somebody's wish and never the default.
#pragma once

#include <husk/request.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"

namespace husk::tool {

bool has_shared_cache(const ToolContext& context);

// Makes it, for this user alone, where it is missing. One that another user owns is refused.
Result<void> make_shared_cache(const ToolContext& context);

// Adds the variables by which tools find it, except those that are given already.
void point_to_cache(const std::filesystem::path& dir,
                    std::map<std::string, std::optional<std::string>>& env);

}  // namespace husk::tool
