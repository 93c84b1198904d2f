// What waits in unix sockets, as the kernel tells it (sock_diag).
#pragma once

#include <stdint.h>

namespace sockets {

// Opens a netlink socket for questions about the network namespace that this process is in. The
// nursery does so, before a filter could refuse it, and its keepers inherit the socket.
void open();

// Only one keeper of a session can ask at a time: the one whose number stands in `asker`, which all
// of them share. False while it is another one, or where the kernel does not answer.
bool claim(int32_t& asker);
void release(int32_t& asker);

// Bytes of memory that what a socket has sent takes until it is read; 0 for one that is not a unix
// socket. For who has the claim.
uint64_t bytes_sent_by(uint64_t inode);

}  // namespace sockets
