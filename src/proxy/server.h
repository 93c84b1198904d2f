// The loop of the proxy: one thread, a fixed number of connections.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "proxy/connection.h"

namespace husk::proxy {

// What the proxy is born with.
struct Estate {
    AllowList allow;
    os::Fd listener;
    os::Fd session_end;  // readable or hung up: the session is over
    os::Fd log;          // may be none
};

class Server {
public:
    static Result<std::unique_ptr<Server>> make(Estate estate, const Limits& limits,
                                                const Sources& sources);

    // Returns when the session is over.
    Result<void> run();

private:
    explicit Server(World world) : world_(std::move(world)) {}

    int patience(Clock::time_point now) const;
    void accept_all(Clock::time_point now);
    void sweep(Clock::time_point now);

    World world_;
    Watched listener_;
    Watched session_end_;
    Clock::time_point rest_until_;  // no descriptors or memory for another one
    std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace husk::proxy
