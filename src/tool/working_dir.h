// The directory that a call would run in.
#pragma once

#include <husk/bash.h>

#include <filesystem>
#include <string>

#include "base/result.h"

namespace husk::tool {

// Whether it can be the name of a directory at all.
Result<void> check_working_dir(const std::filesystem::path& asked);
// That of this process, as the user knows it: through links, if PWD says so and is right.
Result<std::filesystem::path> own_working_dir();
// Where it would run, absolute.
Result<std::filesystem::path> working_dir_of(const Request& request, const ToolContext& context);
// The same as rules see it: without `.`, `..` and a slash at the end; empty if it is not known.
std::string place_of(const Request& request, const ToolContext& context);

}  // namespace husk::tool
