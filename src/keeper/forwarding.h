// How a connection to an address that stands for a listed host, or to a port of the host's
// loopback, begins. The mason makes it to the proxy's raw port, and says with this preamble where
// the command wanted to go. Afterwards the bytes of both sides pass unchanged.
#pragma once

#include <stdint.h>

namespace forwarding {

// The caller waits for the connection: the proxy answers with one byte, 0 or an errno.
inline constexpr unsigned char blocking[2] = {'H', 'R'};
// The caller does not wait: nothing is answered, and a failure ends the connection.
inline constexpr unsigned char nonblocking[2] = {'H', 'N'};

struct Preamble {
    unsigned char kind[2];
    unsigned char port[2];     // network order
    unsigned char address[4];  // likewise
};
static_assert(sizeof(Preamble) == 8);

// Addresses that stand for names of hosts: 198.18.0.0/15, which no real network uses (RFC 2544).
inline constexpr uint32_t network = 0xC6120000;
inline constexpr uint32_t mask = 0xFFFE0000;

// What the mason has to know. The wall step `Forward` brings it.
inline constexpr unsigned most_local = 64;
struct Ports {
    uint16_t raw;                // of the session's loopback, where the proxy takes preambles
    uint16_t count;              // of those that follow
    uint16_t local[most_local];  // of 127.0.0.1 that mean the loopback of the machine
};

}  // namespace forwarding
