// One keeper: takes a plan from the queue, keeps the command until nothing of it lives, and
// comes back for the next one.
#pragma once

#include "pool.h"

namespace keeper {

struct Post {
    int queue;     // plans come here
    int registry;  // to the nursery
    int cgroup;    // of the session, or -1 if the keeper is in none of its own
    pool::Seats* seats;
    uint32_t place;
    bool has_init;  // the nursery is pid 1, and can kill whatever lives
};

[[noreturn]] void live(const Post& post);

}  // namespace keeper
