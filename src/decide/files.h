// The files that a script names: in redirections, and as arguments of well-known programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "decide/verdict.h"
#include "parse/script.h"

namespace husk::decide {

enum class Operation : uint8_t { Read, Write, Append, Delete };

struct FileTouch {
    Operation operation = Operation::Read;
    parse::Word path;
};

// Of one command with these words.
std::vector<FileTouch> file_touches(const parse::Command& command);

// Of all commands of a script, for people.
std::vector<FileUse> file_uses(const parse::Script& script);

}  // namespace husk::decide
