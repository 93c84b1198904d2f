// Variables that change what a command is.
#pragma once

#include <map>
#include <optional>
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

// What bash makes of the variables of a call before it reads the script, each text to be put in
// front of the script: all assignments in one, and each exported function in one of its own.
std::vector<std::string> definitions_of(
    const std::map<std::string, std::optional<std::string>>& variables);

}  // namespace husk::decide
