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

// A new leaf for the keeper on that place. An old one goes first: the kernel kills whoever is
// born into a cgroup that was ever killed. None, when it cannot go yet.
Leaf make_leaf(int session, uint32_t place);
void close_leaf(Leaf& leaf);

void kill_all(const Leaf& leaf);
// The same for a keeper that is dead.
void kill_all(int session, uint32_t place);

}  // namespace cgroup
