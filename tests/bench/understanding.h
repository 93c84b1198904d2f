// What it costs to understand a script and to decide about it.
#pragma once

#include <cstddef>
#include <vector>

#include "figure.h"

namespace husk::bench {

void understanding(std::vector<Figure>& figures, size_t rounds);

}  // namespace husk::bench
