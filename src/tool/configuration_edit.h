// Changing a file of the user's: husk.yaml, with all that people have written into it.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "request/yaml_edit.h"

namespace husk::tool {

// The file is made if there is none. One process after the other; what would not be a usable
// configuration is not written. The error says why nothing was changed.
std::expected<void, std::string> edit_configuration(
    const std::filesystem::path& file, const std::function<yaml::Edited(std::string_view)>& edit);

// Rules such as `Bash(git push:*)` that will allow from now on.
std::expected<void, std::string> allow_always(const std::filesystem::path& file,
                                              const std::vector<std::string>& rules);

}  // namespace husk::tool
