// Variables that decide what is run, and the commands that set variables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parse/script.h"

namespace husk::parse {

// PATH, LD_PRELOAD, GIT_SSH_COMMAND: while one of them is changed, the name of a program says
// little about what is run.
bool decides_what_runs(std::string_view name);

// Its value is a command that some program runs: GIT_PAGER, EDITOR.
bool is_command_variable(std::string_view name);

// The program and a space, if the program takes the value for its own options: "tar " for
// TAR_OPTIONS, "cargo " for CARGO_ALIAS_X.
std::string_view program_with_options_in(std::string_view variable);

// A variable that decides what is run has a value that reads like a command with arguments.
bool may_hold_a_command(std::string_view variable, const Word& value);

// RANDOM and others: bash evaluates what is assigned to them as arithmetic.
bool is_evaluated(std::string_view name);

// A variable that a command sets in another way than by x=1 in front of a program.
struct SetVariable {
    std::string name;            // without its subscript; empty if not known before running
    const Word* word = nullptr;  // name=value as a word of the command; null if there is no value
    bool is_gone = false;        // unset x
};

// printf -v x, read x, export x=1, getopts o x, unset x, ${x:=1}, {x}>file and the like.
std::vector<SetVariable> variables_set_by(const Command& command);

// The text of an arithmetic expression names a variable that decides what is run, outside of an
// expansion: PATH=1, but not ${#PATH}. Returns its name, or "".
std::string deciding_name_in(std::string_view arithmetic);

// The expression sets a variable whose name an expansion gives: $x=1, ${x}+=2.
bool sets_unknown_name(std::string_view arithmetic);

// The text sets such a variable once it is evaluated as arithmetic: "PATH=1", "a[PATH=1]".
bool sets_deciding_variable(std::string_view text);

}  // namespace husk::parse
