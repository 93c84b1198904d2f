// What walls cost: a call, git, and a build behind them, beside the same without.
#pragma once

#include <vector>

#include "figure.h"

namespace husk::bench {

// `files` are compiled in the build.
void walls(std::vector<Figure>& figures, size_t rounds, size_t files);
// The same, by this program run as somebody who is not root, with a home of their own.
void walls_of_an_ordinary_user(std::vector<Figure>& figures, bool quick);

}  // namespace husk::bench
