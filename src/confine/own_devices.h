// The /dev of a session: the devices that every program needs, terminals, and places for shared
// memory and message queues.
#pragma once

#include <cstdint>
#include <filesystem>

#include "confine/steps.h"

namespace husk::confine {

// How many slots they take.
uint64_t usual_devices();

// Whether the kernel has POSIX message queues.
bool has_message_queues();

// Before no device can be opened any more.
void copy_usual_devices(uint64_t first_slot, Steps& steps);
// In the session's own /dev, which is being built at `dev`. Shared memory is mounted on `dev`/shm.
void place_usual_devices(const std::filesystem::path& dev, uint64_t first_slot, Steps& steps);

}  // namespace husk::confine
