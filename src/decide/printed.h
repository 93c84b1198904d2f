// What builtins print, as far as their words tell.
#pragma once

#include <optional>
#include <string>

#include "parse/script.h"

namespace husk::decide {

// What echo and printf print of known words; of `printf -v x`, the value of x. None if that cannot
// be told. The newline of echo is left out.
std::optional<std::string> printed(const parse::Command& command);

}  // namespace husk::decide
