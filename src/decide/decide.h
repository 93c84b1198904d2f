// Script -> Verdict. The checks are a guide, not a wall: what a command can really touch is
// decided by the walls that it runs behind.
#pragma once

#include "decide/context.h"
#include "decide/rules.h"
#include "decide/verdict.h"
#include "parse/script.h"

namespace husk::decide {

// The strictest answer wins: deny over ask over allow. Total, and without effects.
Verdict decide(const parse::Script& script, const Rules& rules, const Context& context);

}  // namespace husk::decide
