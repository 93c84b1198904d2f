// The command as people want to see it: without a `cd` that leads nowhere.
#pragma once

#include <string>

#include "parse/script.h"

namespace husk::render {

// Absolute, or empty when it is not known.
struct Directories {
    std::string working;   // where the command is run, as the caller knows it
    std::string resolved;  // the same without symbolic links
    std::string home;      // what ~ means
};

// The source with every leading `cd DIR &&` or `cd DIR;` cut out that leads where the command
// is run anyway; all else byte for byte.
std::string display_command(const parse::Script& script, const Directories& directories);

}  // namespace husk::render
