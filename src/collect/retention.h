// Which spools go when there are too many.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "run/state_dir.h"

namespace husk::collect {

struct Swept {
    uint64_t taken = 0;          // see weight_of_live(); calls that began meanwhile do not count
    bool unfinished = false;     // another sweep should follow soon
    bool overcommitted = false;  // a live shell may still write more than it counts with
};

// What a live shell counts with that may write `cap` bytes in all and has `on_disk` of them: what
// it has, and room for more. A shell that waits in silence must not take the quota from others.
// The room is at least an eighth of the cap, so that live shells never take more than eight times
// what they count with.
uint64_t weight_of_live(uint64_t on_disk, uint64_t cap);

// The least that a call is granted, whatever is left.
uint64_t least_grant(uint64_t quota);

// Removes finished shells, oldest first, until `room` more bytes fit into the quota, and what
// dead sessions have left behind. Live shells stay, whatever they take. Where live shells leave no
// such room, finished ones go only for the least that a call is granted, and none goes in vain.
// What was taken away from commands (reverted/) may take half of the quota.
Result<Swept> sweep(const run::StateDir& state, uint64_t quota, uint64_t room);

// Removes a shell of which nothing lives, at once.
Result<void> remove_shell(const run::StateDir& state, const std::string& id);

// Removes the shells that were to go with their session, of sessions that have ended.
Result<void> remove_what_went_with_sessions(const run::StateDir& state);

}  // namespace husk::collect
