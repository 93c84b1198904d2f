// The directory of names that were taken away from commands (`reverted/`): it has a part of the
// state directory's quota, and what a command planted there costs a sweep only so much time.
#pragma once

#include <chrono>
#include <cstdint>

#include "run/state_dir.h"

namespace husk::collect {

struct RevertedBounds {
    uint64_t bytes = 0;  // a file counts with 4 KiB at least
    size_t entries = 1024;
    std::chrono::milliseconds removing{250};  // what is left then goes next time
};

struct RevertedRest {
    uint64_t bytes = 0;
    bool still_going = false;  // something is to be removed that took too long
};

// Keeps the newest entries that are within the bounds together, and removes all others.
RevertedRest sweep_reverted(const run::StateDir& state, const RevertedBounds& bounds);

}  // namespace husk::collect
