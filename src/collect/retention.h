// Which spools go when there are too many.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "run/state_dir.h"

namespace husk::collect {

struct Swept {
    uint64_t taken = 0;       // what the rest takes, or may still take; calls that began meanwhile
                              // do not count
    bool unfinished = false;  // another sweep should follow soon
};

// Removes finished shells, oldest first, until `room` more bytes fit into the quota, and what
// dead sessions have left behind. Live shells stay, whatever they take. What was taken away from
// commands (reverted/) may take half of the quota.
Result<Swept> sweep(const run::StateDir& state, uint64_t quota, uint64_t room);

// Removes a shell of which nothing lives, at once.
Result<void> remove_shell(const run::StateDir& state, const std::string& id);

// Removes the shells that were to go with their session, of sessions that have ended.
Result<void> remove_what_went_with_sessions(const run::StateDir& state);

}  // namespace husk::collect
