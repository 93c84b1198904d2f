// How long clients wait for `husk mcp` and `husk serve`, and what these need for many of them.
#pragma once

#include <filesystem>
#include <vector>

#include "figure.h"

namespace husk::bench {

// With state directories below `place`.
void serving(std::vector<Figure>& figures, const std::filesystem::path& place, int rounds);
// A server that cannot be installed or started is a figure that is missing.
void serving_beside_peers(std::vector<Figure>& figures, const std::filesystem::path& place,
                          int rounds);
void serving_http(std::vector<Figure>& figures, const std::filesystem::path& place, int rounds);

}  // namespace husk::bench
