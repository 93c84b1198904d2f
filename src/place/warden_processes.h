// The processes of a container, as a warden sees them from inside.
#pragma once

#include <sys/types.h>

#include <span>

namespace husk::place::warden {

struct Process {
    pid_t pid;
    pid_t parent;  // 0: it was started from outside
    char state;
};

// All of them, until the next look.
std::span<const Process> look_around();

// To every process that this one has come to be the ancestor of: orphans are its children, because
// it is a subreaper, or the first process.
void signal_tree(int signal);

// Until this process has no child left. A tree that forks faster than it can be looked at takes
// everybody else in the container with it after two seconds.
void kill_tree();

}  // namespace husk::place::warden
