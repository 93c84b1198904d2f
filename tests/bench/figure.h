#pragma once

#include <string>

namespace husk::bench {

struct Figure {
    std::string what;
    double value;
    std::string unit;
    double reach;  // 0: reported only
    bool at_most;  // else at least
    bool reached() const { return reach == 0 || (at_most ? value <= reach : value >= reach); }
};

}  // namespace husk::bench
