// How a session's proxy asks the mason for a socket of the session's network, to connect to a port
// that the session publishes. The answer is the same message, with the socket if there is one. It
// can be connected to nothing but the session's own loopback: there is nothing else.
#pragma once

#include <stdint.h>

namespace husk::wire {

enum class InsideFamily : uint32_t { V4 = 4, V6 = 6 };

struct InsideRequest {
    uint32_t number;  // of the asker's choice
    InsideFamily family;
};

// Gives the mason the socket, a seqpacket, on which it is asked.
inline constexpr char inside_order = 'p';

}  // namespace husk::wire
