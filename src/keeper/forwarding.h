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
// The last of them is the session's own and stands for nothing.
inline constexpr uint32_t own_address = 0xC613FFFE;

// What the mason has to know. The wall step `Forward` brings it.
inline constexpr unsigned most_listed = 64;
struct Ways {
    uint16_t raw;                          // where the proxy takes preambles, on the loopback
    uint16_t ports;                        // how many of `local`
    uint32_t addresses;                    // how many of `listed`
    uint16_t local[most_listed];           // ports that mean the loopback of the machine
    unsigned char listed[most_listed][4];  // addresses that are listed themselves
};

// For the mason. Without them nothing is forwarded.
void set(const Ways& ways);

// Whether a stream to `address`, a sockaddr of that size, is for the proxy. Then `address` becomes
// where the proxy takes it, and `preamble` says where it was to go; its kind is left open.
bool redirect(unsigned char* address, unsigned size, Preamble& preamble);
// Whether the address stands for a name.
bool is_stand_in(const unsigned char* address, unsigned size);
// Whether the address stands for a name or is listed itself. What fails there is no stream, so that
// no entry of the list would help.
bool is_listed(const unsigned char* address, unsigned size);

}  // namespace forwarding
