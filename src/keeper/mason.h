// The parent of a session's pid 1, which alone can still change the session's mounts.
#pragma once

#include "sentry.h"
#include "witness.h"

namespace mason {

// Takes orders from the socket until nobody is left who could send one.
[[noreturn]] void live(int socket, const witness::Places& places, const sentry::Sources& sources);

// What a guard does of it: it takes one order, and has no witness and so guards no names. False
// when nobody is left.
bool lay_bricks(int socket);

}  // namespace mason
