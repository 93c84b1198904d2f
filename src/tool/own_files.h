// The configuration's own files, if commands can reach them.
#pragma once

#include <husk/bash.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tool/configuration.h"

namespace husk::tool {

// The walls as the functions below need them: in a container, commands can write only to the
// workspace, whatever the mode is.
ToolContext reach_of(ToolContext walls, const config::Settings& settings);

// Whether it lies beside the work, and so always is a protected name.
bool is_beside(const std::filesystem::path& file, const Configuration& configuration);

// The name of the file below a directory that commands may write to; none if neither the file nor a
// link on the way to it lies there. The walls protect that name with all links behind it.
std::optional<std::filesystem::path> reachable_file(const std::filesystem::path& file,
                                                    const ToolContext& walls);

// Of the configuration's other files, those that commands can write or redirect: they have to be
// read-only for commands. A file that does not exist yet is one of them, with its directory: a
// command must not make the file, not even for a moment. So is the state directory if a link leads
// to it.
std::vector<std::filesystem::path> reachable_files(const Configuration& configuration,
                                                   const ToolContext& walls);

// Makes these directories, because only a directory that exists can be held. A directory that this
// user cannot make cannot be made by a command either.
void make_directories_to_hold(const Configuration& configuration, const ToolContext& walls);

// Why a change of the file must not count while a server runs: a command could have made it. Empty
// if it may count.
std::string why_fixed(const std::filesystem::path& file, const ToolContext& walls);

// The same for a file beside the work, which may appear while a server runs: it only narrows.
std::string why_fixed_beside(const std::filesystem::path& file, const ToolContext& walls);

}  // namespace husk::tool
