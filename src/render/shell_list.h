// The table of `husk shells`.
#pragma once

#include <husk/report.h>

#include <cstddef>
#include <string>
#include <vector>

namespace husk::render {

// One line each, in the order given, at most `width` columns wide; 0 means no limit.
std::string shell_list(const std::vector<Report>& shells, size_t width);

}  // namespace husk::render
