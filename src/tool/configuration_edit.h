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
// A person's "always" to openings of the walls: the network, directories and sockets that `text`, a
// husk.yaml of its own, has are added to those of the file.
std::expected<void, std::string> widen_always(const std::filesystem::path& file,
                                              const std::string& text);
// That entry, as it would stand in a file of its own.
std::string approval_text(const std::string& directory, const std::string& command);

}  // namespace husk::tool
