// The rules of Landlock: which files a closed session may read and write.
#pragma once

#include <filesystem>
#include <vector>

#include "confine/steps.h"
#include "confine/wanted.h"

namespace husk::confine {

// Adds the steps that make the ruleset. It never grants reading the paths in `never`.
void add_file_rules(const Wanted& wanted, const std::vector<std::filesystem::path>& never,
                    Steps& steps);

}  // namespace husk::confine
