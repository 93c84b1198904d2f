// Variables that change what a command is.
#pragma once

#include "parse/script.h"

namespace husk::decide {

// PATH, LD_PRELOAD, GIT_SSH_COMMAND: with them in front, the program's name says little.
bool decides_what_runs(const parse::Assignment& assignment);
// The same for those that the command sets itself, before its program or by export.
bool sets_what_runs(const parse::Command& command);

}  // namespace husk::decide
