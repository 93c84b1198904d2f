#pragma once

#include <cmath>
#include <string>

namespace husk::bench {

// The value of what could not be measured. It reaches nothing.
inline constexpr double missing = NAN;

struct Figure {
    std::string what;
    double value;
    std::string unit;
    double reach;  // 0: reported only
    bool at_most;  // else at least

    bool is_missing() const { return std::isnan(value); }
    bool reached() const {
        if (is_missing() || reach == 0) return !is_missing();
        return at_most ? value <= reach : value >= reach;
    }
};

}  // namespace husk::bench
