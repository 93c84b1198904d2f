// Pid 1 can stop every process of its namespace with one signal. While all are stopped, nothing can
// fork. So even a tree that forks faster than rounds of SIGKILL dies, without ending the session.
#pragma once

#include "tree.h"

namespace standstill {

// Only for pid 1: stops everything, kills all descendants of `root` except the spared children with
// theirs, and lets the others go on. Returns false if a descendant still lives after a second.
bool end_below(int root, tree::Spare spare);

}  // namespace standstill
