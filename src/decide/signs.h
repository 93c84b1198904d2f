// Signs of a threat. They are reported, and are no reason to refuse a command. Each pack of signs
// has the name of the pack of checks that refuses worse cases.
#pragma once

#include <vector>

#include "decide/check.h"

namespace husk::decide {

// Each in a file of its own. They are not in all_packs(): nobody can switch them on for a verdict.
extern const Pack injection_signs;
extern const Pack escalation_signs;
extern const Pack exfiltration_signs;

// All signs in a script, in the order of its commands.
std::vector<Finding> signs(const parse::Script& script, const Context& context);

}  // namespace husk::decide
