// What it costs that somebody notes what the walls stop.
#pragma once

#include <vector>

#include "figure.h"

namespace husk::bench {

void denials(std::vector<Figure>& figures, size_t rounds);

}  // namespace husk::bench
