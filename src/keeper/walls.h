// Builds the walls of a session, once, before there is any command. The only part of the program
// that opens files by name outside of /proc.
#pragma once

#include <stdint.h>

#include "sentry.h"

namespace walls {

constexpr unsigned max_ways_out = 3;

struct Built {
    uint32_t step;               // the one that failed, counted from 1; 0 = all are up
    int error;                   // errno
    int ways_out[max_ways_out];  // sockets for the proxy
    unsigned count;              // of them
    int mason;                   // whom to ask for more steps, or -1
};

// `description` is a file that holds a husk::wire::Walls. What returns may be another process:
// pid 1 of the new PID namespace.
Built build(int description, const sentry::Sources& sources);

}  // namespace walls
