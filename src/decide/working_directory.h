// Where `cd` leads.
#pragma once

#include "decide/context.h"
#include "parse/script.h"

namespace husk::decide {

// The context of what follows the command; its directory is empty where it cannot be known.
// Whether `cd` succeeds, and where a subshell ends, is not looked at: good only to find more.
Context context_after(const parse::Command& command, Context context);

}  // namespace husk::decide
