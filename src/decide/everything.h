// Commands that list or delete whatever is in a place.
#pragma once

#include "decide/context.h"
#include "parse/script.h"

namespace husk::decide {

// find /, ls ~: everything in a directory that nobody means to lose, with no test that makes it
// few files.
bool lists_everything(const parse::Command& command, const Context& context);

}  // namespace husk::decide
