// Variables that change what a command is.
#pragma once

#include <cstdint>
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

// A text to be put in front of a script. Assignments are quoted, so the script behind them is still
// whole. The text of a function is not quoted, and may swallow the script or a part of it.
struct Definitions {
    enum class Kind : uint8_t { Assignments, Function } kind;
    std::string text;
};

// What bash makes of the variables of a call before it reads the script: all assignments in one
// text, and each exported function in one of its own.
std::vector<Definitions> definitions_of(
    const std::map<std::string, std::optional<std::string>>& variables);

}  // namespace husk::decide
