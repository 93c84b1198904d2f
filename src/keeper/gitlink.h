// The .git of a submodule that is not checked out is a protected name. `git submodule update
// --init` makes it: a file that leads to a directory in .git/modules. This tells such a file, if
// git runs nothing because of the directory, from all others.
#pragma once

#include "sweep.h"

namespace gitlink {

// Whether what is at the place leads to a directory in .git/modules of the root of the order, with
// settings that are known to be harmless and without hooks.
bool is_harmless(const husk::wire::NameOrder& order, const sweep::Place& place);

}  // namespace gitlink
