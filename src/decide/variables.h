// Variables that change what a command is.
#pragma once

#include "parse/script.h"

namespace husk::decide {

// PATH, LD_PRELOAD, GIT_SSH_COMMAND: with them in front, the program's name says little.
bool decides_what_runs(const parse::Assignment& assignment);

}  // namespace husk::decide
