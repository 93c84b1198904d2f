// One client, from its first byte to its last: head, lookup, connect, relay; or a refusal.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proxy/allow_list.h"
#include "proxy/denials.h"
#include "proxy/flow.h"
#include "proxy/head.h"
#include "proxy/lookup.h"
#include "proxy/poller.h"

namespace husk::proxy {

struct Limits {
    size_t connections = 256;
    size_t denials = 1000;                   // lines in the log
    std::chrono::milliseconds head{30'000};  // from the first byte of a request to its empty line
    std::chrono::milliseconds connect{30'000};  // to any of a host's addresses
    std::chrono::milliseconds idle{300'000};    // without a byte in either direction
    std::chrono::milliseconds farewell{5'000};  // for a client to take its last bytes
};

// What all connections share.
struct World {
    Poller poller;
    AllowList allow;
    DenialLog denials;
    Limits limits;
    Sources sources;
};

class Connection {
public:
    // The descriptors that it may watch: tag = first tag + role.
    enum Role : uint8_t { Client, Server, FirstQuery, SecondQuery };
    static constexpr uint64_t roles = 4;

    Connection(World& world, os::Fd client, uint64_t first_tag, Clock::time_point now);

    // Also with events that are no longer true.
    void on_ready(Role role, Clock::time_point now);
    void on_time(Clock::time_point now);

    bool closed() const { return phase_ == Phase::Closed; }
    Clock::time_point deadline() const;

private:
    enum class Phase { Head, Lookup, Connect, Relay, Farewell, Closed };

    void read_head(Clock::time_point now);
    void decide(Clock::time_point now);
    void see_lookup(Clock::time_point now);
    void choose(std::vector<Address> addresses, Clock::time_point now);
    void connect_next(Clock::time_point now);
    void finish_connect(Clock::time_point now);
    void start_relay(Clock::time_point now);
    void relay(Clock::time_point now);
    void deny(const Denial& denial, Clock::time_point now);
    void refuse(const Refusal& refusal, Clock::time_point now);
    void say_farewell(Clock::time_point now);
    void take_leave();
    void watch_relay();
    void reset();
    void close();

    World& world_;
    Watched client_;
    Watched server_;
    uint64_t first_tag_;
    Phase phase_ = Phase::Head;
    Clock::time_point deadline_;
    std::string bytes_;  // the head, and what the client sent behind it
    size_t seen_ = 0;
    Request request_;
    std::optional<Lookup> lookup_;
    std::vector<Address> addresses_;  // still to be tried, the next one last
    Clock::time_point connect_end_;
    int connect_error_ = 0;
    Flow up_;    // client to server
    Flow down_;  // server to client
};

}  // namespace husk::proxy
