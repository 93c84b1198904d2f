// The directories that a call may use, without links.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace husk::tool {

using Directories = std::vector<std::filesystem::path>;

// What lies in an entry of both lists, once links are resolved. Without `bounds`, all that the call
// asks for. An entry that is no directory allows nothing.
Directories resolved_in_both(const Directories& asked, const std::optional<Directories>& bounds);

}  // namespace husk::tool
