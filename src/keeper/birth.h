// What a nursery is born with.
#pragma once

#include "wire.h"

namespace birth {

// Descriptors; -1: there is none.
struct Gifts {
    int client = -1;  // the first; -1: the message was not for us
    int listener = -1;
    int cgroup = -1;
    int walls = -1;
    int denials = -1;
    int settled = -1;
};

// Takes the one message that waits. The session's lock comes to stand where it came in.
Gifts receive(husk::wire::Birth& birth);

}  // namespace birth
