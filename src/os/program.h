// Programs that Husk executes itself. They are found at fixed paths, never through PATH: a command
// could write a directory that PATH names.
#pragma once

#include <string>

#include "base/result.h"
#include "os/fd.h"

namespace husk::os {

// An opened program: the file that was checked is the file that is executed (execveat).
struct Program {
    Fd file;           // O_PATH
    std::string path;  // without symbolic links
};

// Opens a program by its absolute path. Fails unless root alone can change the file, every
// directory on the way to it, and every symbolic link that leads there.
Result<Program> open_program(const std::string& path);

// Opens the bash of this system: the first of the fixed paths that holds one.
Result<Program> open_bash();

}  // namespace husk::os
