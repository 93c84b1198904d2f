// Pid 1 can stop every process of its namespace at one stroke. Nothing is born then, so that also a
// tree dies that forks faster than rounds of SIGKILL go, and nothing else of the session has to.
#pragma once

#include "tree.h"

namespace standstill {

// Only for pid 1: stops everything, kills all below `root` but the children that are spared, and
// lets the others go on. False if something of it still lives after a second.
bool end_below(int root, tree::Spare spare);

}  // namespace standstill
