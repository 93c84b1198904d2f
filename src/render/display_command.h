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

// Returns the source without a leading `cd DIR &&` or `cd DIR;` that leads where the command is run
// anyway; all else byte for byte. A `cd` stays if it stands behind a `cd` that leads elsewhere, or
// if a later `cd -` or `cd ..` depends on it: the text would name the wrong directory without it.
// The one exception is `cd ELSEWHERE; cd DIR && COMMAND`: the contract phoenix leaves `cd DIR &&`
// out of it.
std::string display_command(const parse::Script& script, const Directories& directories);

}  // namespace husk::render
