// What walls cost: a call, git, and a build behind them, beside the same without.
#pragma once

#include <vector>

#include "figure.h"

namespace husk::bench {

// `files` are compiled in the build.
void walls(std::vector<Figure>& figures, size_t rounds, size_t files);

}  // namespace husk::bench
