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

// The source without a leading `cd DIR &&` or `cd DIR;` that leads where the command is run anyway;
// all else byte for byte. What is left says where its commands run: a `cd` behind one that leads
// elsewhere stays, as does one that a later `cd -` or `cd ..` depends on. The one exception is the
// form `cd ELSEWHERE; cd DIR && COMMAND`, which the contract phoenix shows without `cd DIR &&`.
std::string display_command(const parse::Script& script, const Directories& directories);

}  // namespace husk::render
