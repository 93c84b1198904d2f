// Where `cd` leads.
#pragma once

#include <cstddef>

#include "decide/context.h"
#include "parse/script.h"

namespace husk::decide {

// The context of what follows the command; its directory is empty where it cannot be known.
// Whether `cd` succeeds, and where a subshell ends, is not looked at: good only to find more.
Context context_after(const parse::Command& command, Context context);

// The context that a command finds whose wrappers change the directory: env -C / rm -rf x.
Context context_inside(const parse::Script& script, size_t command, Context context);

}  // namespace husk::decide
