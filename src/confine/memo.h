// The directory `memo` of an agent. Links in it and mounts below it lead to files elsewhere, and a
// path in `memo` is a name of these files too.
#pragma once

#include "base/result.h"
#include "confine/protected.h"
#include "confine/wanted.h"

namespace husk::confine {

// Adds what lies behind each protected directory of this name. Links are found at any depth in the
// directory, and directly in a directory that such a link leads to. An error if there are too many
// of them, or if a directory cannot be searched.
Result<void> add_behind_memo(const Wanted& wanted, Protected& found);

}  // namespace husk::confine
