// A command as a report shows it.
#pragma once

#include <filesystem>
#include <string>

namespace husk::tool {

// Without a `cd` into the directory in which it is run anyway.
std::string display_of(const std::string& command, const std::filesystem::path& working_dir);

}  // namespace husk::tool
