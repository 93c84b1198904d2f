// One message with descriptors on a socket.
#pragma once

#include <stddef.h>

namespace message {

inline constexpr unsigned max_fds = 16;

struct Received {
    long size;  // bytes, 0 = the other side is gone, or -errno
    unsigned fd_count;
    int fds[max_fds];
};

// Waits for one; its descriptors close on exec.
Received receive(int socket, void* into, size_t room, int flags);

// Returns 0 or -errno. Never waits.
long send(int socket, const void* data, size_t size, const int* fds, unsigned fd_count);

}  // namespace message
