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

// What husk is told about the machine, and by the user.
struct Surroundings {
    std::string pretend = {};   // for HUSK_PRETEND: a machine that can do less; empty: this one
    std::string accept = {};    // holes, for --accept
    std::string settings = {};  // the user's husk.yaml
};

std::vector<Outcome> attack(const std::vector<Probe>& probes, Place place, Attacker attacker,
                            const Surroundings& surroundings = {});

// Those that harm each other, or the call, are tried in one of their own; but in a container, which
// takes long to make, all share one.
bool needs_a_call_of_its_own(char category);

}  // namespace husk::redteam
