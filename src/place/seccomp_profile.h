// The filter for system calls in the words of a container engine.
#pragma once

#include "os/seccomp.h"
#include "place/engine.h"

namespace husk::place {

// The same filter as a profile of the OCI runtimes: a list of the calls that are allowed, with
// conditions on their arguments. Every other call fails, one that is newer than the list too.
Json seccomp_profile(const os::SyscallFilter& filter);

// For commands in containers: as on the host behind walls.
Json container_profile();

}  // namespace husk::place
