// Where `read` and `mapfile` get the values of their variables from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "decide/survey.h"
#include "parse/script.h"

namespace husk::decide {

// read, mapfile, readarray.
bool reads_variables(const parse::Command& command);
// The variables that it sets: REPLY or MAPFILE if it names none.
std::vector<std::string> variables_read(const parse::Command& command);

// What a command reads. `done <<< x` behind a loop is the input of the commands in the loop.
struct Input {
    enum class Kind {
        Unknown,   // a terminal, or what the script itself reads
        File,      // < file
        Text,      // <<< text, or a here-document
        Commands,  // of a pipe or of <( )
    };
    Kind kind = Kind::Unknown;
    const parse::Word* text = nullptr;                 // of Text
    std::vector<const parse::Command*> commands = {};  // of Commands, the last of a pipe first
};

Input input_of(const parse::Script& script, const Survey& survey, size_t command);

}  // namespace husk::decide
