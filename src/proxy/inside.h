// Sockets of the session's network, which the proxy itself is not in: its mason makes them on
// request.
#pragma once

#include <cstdint>
#include <optional>

#include "keeper/inside_socket.h"
#include "proxy/address.h"
#include "proxy/poller.h"

namespace husk::proxy {

class Inside {
public:
    // `mason` may be none: then nothing is published.
    explicit Inside(os::Fd mason) { socket_.hold(std::move(mason)); }
    bool watch(const Poller& poller, uint64_t tag);

    // A number for the answer; 0: it cannot be asked.
    uint32_t ask(wire::InsideFamily family);

    struct Answer {
        uint32_t number = 0;
        os::Fd socket;  // none: the mason could not make it
    };
    // The next answer, if one has come.
    std::optional<Answer> receive();

private:
    Watched socket_;
    uint32_t last_ = 0;
};

// The loopback of the session.
SocketAddress loopback_inside(wire::InsideFamily family, uint16_t port);

}  // namespace husk::proxy
