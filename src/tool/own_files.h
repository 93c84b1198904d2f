// The configuration's own files, if commands can reach them.
#pragma once

#include <husk/bash.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tool/configuration.h"

namespace husk::tool {

// The walls as the functions below need them: in a container, commands can write only to the
// workspace, whatever the mode is.
ToolContext reach_of(ToolContext walls, const config::Settings& settings);

// Of the configuration's files, those that exist below a directory that commands may write to: they
// have to be read-only for commands. Without the workspace's husk.yaml, which always is.
std::vector<std::filesystem::path> reachable_files(const Configuration& configuration,
                                                   const ToolContext& walls);

// Why a change of the file must not count while a server runs: a command could have made it. Empty
// if it may count.
std::string why_fixed(const std::filesystem::path& file, const ToolContext& walls);

}  // namespace husk::tool
