// The descendants of this process, read from /proc when asked, never remembered.
#pragma once

#include "proc.h"

namespace tree {

// Says whether a direct child is to be left alone, with all below it.
using Spare = bool (*)(int pid);
inline bool spare_none(int) { return false; }

struct Sent {
    unsigned reached;  // processes that took the signal
    unsigned refused;  // processes that this user may not signal
};

// Sends `signal` to every descendant: not only to children, because a bomb that calls
// setsid and forks on outruns whoever follows it generation by generation.
Sent signal_all(int signal, Spare spare);
// The same for the descendants of another process, except the spared children with theirs.
Sent signal_below(int root, int signal, Spare spare);

// Kills the children, each with its process group, and looks no further down: orphans become
// children. A tenth of the time of a round, so it keeps up with a tree that forks faster than
// rounds go.
void kill_children(Spare spare);

// Parents come before their children.
void for_each_below(int root, Spare spare, void (*visit)(const proc::Kin& kin));

// Whether a descendant has hardly been let run, by the processors or by a disk: on a loaded machine
// `cat` may need longer to say its last word than anybody would wait for it on an idle one.
bool any_has_hardly_begun();

// Whether this process has a child that is not spared. Zombies count.
bool any_child(Spare spare);

// Whether children can be found at all: the kernel lists them (CONFIG_PROC_CHILDREN), and /proc
// is that of our own pid namespace. Else no tree can be killed, so the nursery does not start.
bool readable();

}  // namespace tree
