// Symbolic links that commands can make or replace: those in the directories that they can write.
// A path from a setting must not lead through one.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"

namespace husk::confine {

using Roots = std::vector<std::filesystem::path>;  // absolute, without links

// Whether `path` leads to `found` without a link in a root. False also if it leads elsewhere now.
bool leads_without_links_in(const Roots& roots, const std::filesystem::path& path,
                            const std::filesystem::path& found);

// Returns where an absolute path leads, also if nothing is there. Refuses a path that leads through
// a link in a root. `setting` names the path in the error.
Result<std::filesystem::path> found_without_links_in(const Roots& roots, const char* setting,
                                                     const std::filesystem::path& path);

// The error for a path that leads through such a link.
Error leads_through_link(const char* setting, const std::filesystem::path& path,
                         const std::filesystem::path& found);

}  // namespace husk::confine
