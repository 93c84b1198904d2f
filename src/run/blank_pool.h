// Empty files that finished shells have left, to be used again. ext4 does not give out an
// inode again for a minute after it was freed, and looks at all such ones whenever a file is
// made; a Husk that deletes as many files as it makes would grow slower and slower.
#pragma once

#include <string>

#include "os/fd.h"

namespace husk::run {

// Gives the file `name` in `to` the inode of an empty file. False when there is none to be had;
// then errno is EEXIST if the name is taken.
bool take_blank(const os::Fd& blank, const os::Fd& to, const std::string& name);

// Empties the file `path` below `dir` and keeps it for later, or removes it.
void give_back(const os::Fd& dir, const std::string& path, const os::Fd& blank);

}  // namespace husk::run
