// A cgroup for each keeper's command, below the session's, where the caller could have one
// made. The kernel then kills the tree at one stroke, whatever it does meanwhile and
// whoever its processes have become. The keeper itself is never in it.
#pragma once

#include <stdint.h>

namespace cgroup {

// The session's, made below `parent`; -1 when it cannot be had.
int make_session(int parent, const char* name);
void remove_session(int parent, const char* name, int session, uint32_t leaves);

struct Leaf {
    int dir = -1;   // to be born into
    int kill = -1;  // cgroup.kill
};

// The leaf of the keeper on that place; an old one of the same place is used again.
Leaf open_leaf(int session, uint32_t place);

void kill_all(const Leaf& leaf);

}  // namespace cgroup
