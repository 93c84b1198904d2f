// How long an MCP client waits for a server that it has just started.
#pragma once

#include <vector>

#include "figure.h"

namespace husk::bench {

void serving(std::vector<Figure>& figures, int rounds);

}  // namespace husk::bench
