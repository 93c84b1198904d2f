// Devices that a session may open because a setting names them.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "confine/steps.h"
#include "confine/wanted.h"

namespace husk::confine {

// An error for a path that is no device of /dev, or one that is the machine itself: disks, memory,
// terminals and input of other programs.
Result<void> check_devices(const Wanted& wanted);

// The devices keep their modes and groups: a user who may not open one may not do it here either.
// Slots from `first_slot` on are used, one for each.
void copy_devices(const Wanted& wanted, uint64_t first_slot, Steps& steps);
// In the session's own /dev, which is being built at `dev`.
void place_devices(const Wanted& wanted, const std::filesystem::path& dev, uint64_t first_slot,
                   Steps& steps);
void grant_devices(const Wanted& wanted, int landlock, Steps& steps);

}  // namespace husk::confine
