// The loop of the proxy: one thread, a fixed number of connections.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "proxy/connection.h"
#include "proxy/name_service.h"

namespace husk::proxy {

// What the proxy is born with. Any of it may be missing, but for the session's end.
struct Estate {
    AllowList allow;
    os::Fd listener;     // for requests
    os::Fd session_end;  // readable or hung up: the session is over
    os::Fd log;
    os::Fd names;         // for questions
    os::Fd raw_listener;  // for preambles
    os::Fd mason;         // whom to ask for sockets of the session's network
    struct Published {
        uint16_t port;
        os::Fd listener;
    };
    std::vector<Published> published;
};

class Server {
public:
    static Result<std::unique_ptr<Server>> make(Estate estate, const Limits& limits,
                                                const Sources& sources);

    // Returns when the session is over.
    Result<void> run();

private:
    // Where clients come in.
    struct Entrance {
        Watched listener;
        Door door;
        uint16_t port;  // that is published
    };

    explicit Server(World world) : world_(std::move(world)) {}

    void add_entrance(os::Fd listener, Door door, uint16_t port = 0);
    bool watch_all();
    void on_event(uint64_t tag, Clock::time_point now);
    int patience(Clock::time_point now) const;
    void accept_all(Entrance& entrance, Clock::time_point now);
    void take_sockets(Clock::time_point now);
    void sweep(Clock::time_point now);

    World world_;
    std::vector<Entrance> entrances_;
    std::optional<NameService> names_;
    Watched session_end_;
    Clock::time_point rest_until_;  // no descriptors or memory for another one
    std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace husk::proxy
