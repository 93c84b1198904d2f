// Makes a connection with the rights of the process that asks for it, without ever waiting.
#pragma once

#include <linux/fcntl.h>
#include <stdint.h>

#include "caller.h"
#include "connects.h"
#include "forwarding.h"

namespace connecting {

constexpr int af_unix = 1;
constexpr int sock_dgram = 2;

// A socket of the caller, and what the kernel says about it.
struct Socket {
    int fd;
    int domain;
    int type;
    int flags;
    bool blocks() const { return (flags & O_NONBLOCK) == 0 && type != sock_dgram; }
};

// Of a connection that the proxy makes for the session.
enum class Forwarding : uint8_t {
    No,
    New,
    Connecting,  // to the proxy, which has then to be told where it goes
    Told,        // the proxy has yet to say how it went
};

// To the object that is open at this descriptor of ours, whatever lies at its path by now. As all
// that follow, it returns what `connect` says.
long to_object(const Socket& socket, const caller::Rights& rights, int object);
long to_address(const Socket& socket, const caller::Rights& rights,
                const connects::Address& address);

// Whether anybody at all has a socket bound to the object. A socket of another type is refused with
// EPROTOTYPE then, and nobody hears of it; a datagram socket hears of nothing before it is sent to.
long look_for_listener(const caller::Rights& rights, int object);

// One step of a forwarded connection, as the result of a call that does not block: -EINPROGRESS
// while the mason has to wait.
long go_on_forwarding(const Socket& socket, const caller::Rights& rights,
                      const connects::Address& address, const forwarding::Preamble& preamble,
                      Forwarding& stage);

// Whether the caller has to wait after this result.
bool has_to_wait(const Socket& socket, long result, bool is_forwarded);

}  // namespace connecting
