// Programs with a language of their own, in which a text can run a command in many ways. A text
// counts as harmless only if everything in it is known to run nothing.
#pragma once

#include <string>
#include <string_view>

#include "parse/script.h"

namespace husk::parse {

// vim, ed, gdb and sqlite3 run what they read from their standard input.
bool is_interpreter_of_input(const Command& command);
bool is_harmless_input(const std::string& program, std::string_view text);

// Words of the command are in such a language, and they are not known to be harmless: vim -c,
// gdb -ex, sqlite3 db, make --eval, tmux.
bool may_run_by_its_language(const Command& command);

}  // namespace husk::parse
