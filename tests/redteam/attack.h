// Runs probes in one place as one attacker, and looks at the victims afterwards.
#pragma once

#include <string>
#include <vector>

#include "probes.h"

namespace husk::redteam {

struct Outcome {
    Probe probe;
    bool got_through = false;
    bool is_absent = false;   // the kernel has no such thing
    std::string cannot_tell;  // why neither can be said; empty when it can
    std::string output;       // of the probe alone
};

std::vector<Outcome> attack(const std::vector<Probe>& probes, Place place, Attacker attacker);

}  // namespace husk::redteam
