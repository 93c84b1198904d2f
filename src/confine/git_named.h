// What else git obeys because settings name it: of a repository, and of the user and the machine.
#pragma once

#include <filesystem>
#include <vector>

#include "confine/git_settings.h"

namespace husk::confine {

// Adds to `named` what the file names, and what the files name that it includes: absolute paths of
// these files, and directories of hooks. `home` stands for "~".
void add_named_by_file(const std::filesystem::path& settings, const std::filesystem::path& home,
                       NamedBySettings& named);

// The files with settings of the user and of the machine, whether they exist or not.
std::vector<std::filesystem::path> global_settings(const std::filesystem::path& home);

}  // namespace husk::confine
