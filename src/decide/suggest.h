// The smallest rule that would allow a command.
#pragma once

#include <cstddef>
#include <string>

#include "parse/script.h"

namespace husk::decide {

// A short rule such as `Bash(git push:*)`, or "" when none may: nobody should be led to allow
// an interpreter, or a command that is not known before running.
std::string suggest(const parse::Script& script, size_t command);

}  // namespace husk::decide
