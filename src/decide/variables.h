// Variables that change what a command is.
#pragma once

#include <string>
#include <vector>

#include "parse/script.h"

namespace husk::decide {

// PATH, LD_PRELOAD, GIT_SSH_COMMAND: with them in front, the program's name says little.
bool decides_what_runs(const parse::Assignment& assignment);
// The same for those that the command sets itself, in front of its program or by a builtin; also
// if it sets a variable whose name is not known.
bool sets_what_runs(const parse::Command& command);

// What the call sets for the whole script, as if it stood before each command.
void set_before_all(parse::Script& script, const std::vector<std::string>& names);

}  // namespace husk::decide
