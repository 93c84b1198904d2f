// A cgroup for each keeper, below the session's, where the caller could have one made. The kernel
// can then kill the tree at one stroke, whatever it does meanwhile and whoever its processes have
// become. The keeper is born into it and its commands inherit that, because a birth of their own
// into a cgroup costs each of them more than a percent; so it has to leave before the stroke.
#pragma once

#include <stdint.h>

namespace cgroup {

// The session's, made below `parent`; -1 when it cannot be had.
int make_session(int parent, const char* name);
void remove_session(int parent, const char* name, int session, uint32_t leaves);

// A new leaf to be born into, for the keeper on that place. An old one goes first: the kernel kills
// whoever is born into a cgroup that was ever killed. -1 when it cannot go yet, or there is none.
int make_leaf(int session, uint32_t place);

// The caller moves up to the session's. Moving makes the kernel wait for every fork on the machine.
bool leave_leaf(int session);

void kill_leaf(int session, uint32_t place);
void kill_by(int file);  // an open cgroup.kill

}  // namespace cgroup
