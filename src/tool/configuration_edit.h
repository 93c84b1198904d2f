// Changing a file of the user's: husk.yaml, with all that people have written into it.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "request/yaml_edit.h"

namespace husk::tool {

// The file is made if there is none. One process after the other; what would not be a usable
// configuration is not written. The error says why nothing was changed.
std::expected<void, std::string> edit_configuration(
    const std::filesystem::path& file, const std::function<yaml::Edited(std::string_view)>& edit);

// A person's "always" to a script in that directory: one more entry of permissions.approved.
std::expected<void, std::string> approve_always(const std::filesystem::path& file,
                                                const std::string& directory,
                                                const std::string& command);
// That entry, as it would stand in a file of its own.
std::string approval_text(const std::string& directory, const std::string& command);

}  // namespace husk::tool
