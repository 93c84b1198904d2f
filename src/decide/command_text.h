// A command as one line of text, as the patterns of rules see it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "decide/glob.h"
#include "parse/script.h"

namespace husk::decide {

// The words with one space between, once with the program as it is written, once with its bare
// name.
struct Line {
    Text by_path;
    Text by_name;
};

struct CommandText {
    Line line;   // unknown parts are any_text
    Line shown;  // unknown parts are as they were written
    bool certain = true;
};

CommandText command_text(const parse::Script& script, size_t index);

// The same without the options in front of a subcommand, in every way that may be meant. Only for
// rules that deny or ask: an allow rule sees the command as it is written.
std::vector<CommandText> readings_text(const parse::Script& script, size_t index);

// What find, xargs and the like replace by something else; "" when no such program runs it.
std::string placeholder_of(const parse::Script& script, const parse::Command& command);

// A word of a command with that placeholder, which is unknown too.
Letters seen(const parse::Word& word, const std::string& placeholder);

// The program without its directory.
Letters name_of(const Letters& program);

// Whoever runs /usr/bin/git means git. Whoever runs /tmp/git may mean anything.
bool is_system_program(const parse::Command& command);
bool is_system_directory(std::string_view directory);

// The path of the program without detours: /bin/rm for //bin/../bin/rm and /proc/self/root/bin/rm.
// Empty if it is no absolute path, or not known.
std::string direct_path(const parse::Command& command);

}  // namespace husk::decide
