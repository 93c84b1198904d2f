// The files that a script names: in redirections, and as arguments of well-known programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "decide/context.h"
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

// A file whose absolute path is known before the script runs.
struct NamedFile {
    std::string path;
    // read write append delete. If there are several, the last one that changes the file.
    std::string operation;
};

// The files that a script names, each once, in their order.
std::vector<NamedFile> named_files(const parse::Script& script, const Context& context);

// Of all commands of a script, for people.
std::vector<FileUse> file_uses(const parse::Script& script);

}  // namespace husk::decide
