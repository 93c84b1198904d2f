// The mason makes every connection of the session. It reads the address once, connects a copy of
// the caller's socket with the rights of the caller, and answers with the kernel's result. So
// nothing that the command changes after the look plays a part: not the address in its memory, not
// the descriptor, not the names on the path. A unix socket with a path is connected only to an
// object to which a process of this session has bound one.
#pragma once

#include <linux/poll.h>
#include <linux/seccomp.h>
#include <stdint.h>

#include "forwarding.h"

namespace connects {

// Connections that blocking callers wait for. Who comes while there are more is told to try again.
inline constexpr unsigned most_waiting = 128;

struct Address {
    unsigned char bytes[128];  // a sockaddr
    unsigned size;
    uint16_t family() const { return static_cast<uint16_t>(bytes[0] | bytes[1] << 8); }
};

// Which wall stopped it, if one did.
enum class Stopped : uint8_t { No, UnixSocket, AbstractSocket, Datagrams, NoWayOut };

struct Made {
    long result = 0;  // of the call: 0 or -errno
    bool waits = false;
    Stopped stopped = Stopped::No;
    Address address{};
    bool is_datagram = false;
    uint16_t port = 0;          // of the caller's socket on the internet, if it is connected
    bool is_forwarded = false;  // to the proxy, which the address leads to then
    bool told = false;          // the proxy knows where it goes
    forwarding::Preamble preamble{};
    int object = -1;  // at the path of the socket; to be closed
};

// Called once, in the mason, before it makes the first connection.
void begin(int proc);
bool is_asked_for(const seccomp_data& data);
// `proc` is the /proc of the mason's PID namespace.
Made make(int proc, int listener, const seccomp_notif& asked);

// What blocking callers wait for: descriptors to poll (returns how many), and when to go on at the
// latest, by the monotonic clock.
unsigned waiting(pollfd* fds);
uint64_t next();
// Answers those whose connection has been made, has failed, or is interrupted.
void go_on(int proc, int listener);
// Nobody is left who could wait.
void forget();

}  // namespace connects
