// The directories that a call may use, without links.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace husk::tool {

// What lies in an entry of both lists, once links are resolved; absent, the configuration has no
// list. An entry that is no directory allows nothing.
std::vector<std::filesystem::path> resolved_in_both(
    const std::vector<std::string>& calls,
    const std::optional<std::vector<std::string>>& configured);

}  // namespace husk::tool
