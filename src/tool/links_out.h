// Symbolic links that lead out of the workspace: programs outside follow them.
#pragma once

#include <husk/report.h>

#include <cstdint>
#include <filesystem>
#include <vector>

namespace husk::tool {

// If the notes say that links were made: looks below the roots for those that were made since then
// (ns of the real time) and lead out of all roots, and lists them in the notes. The search has a
// bound; a note says when there may be more.
void tell_links_out(Report& report, const std::vector<std::filesystem::path>& roots,
                    uint64_t since);

}  // namespace husk::tool
