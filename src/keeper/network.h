// The session's own network: its loopback, and the sockets that others serve there.
#pragma once

#include <stdint.h>

namespace network {

// Of this network namespace. With a second address (0: none) libraries believe that there is a
// network: they look nothing up where only 127.0.0.1 is.
long raise_loopback(uint32_t address);

// A socket of that type, bound to that port of 127.0.0.1; or -errno.
constexpr int stream = 1;    // SOCK_STREAM
constexpr int datagram = 2;  // SOCK_DGRAM
long bind_to_loopback(int type, uint64_t port);

constexpr uint64_t name_port = 53;

}  // namespace network
