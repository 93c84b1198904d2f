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
#include "proxy/inside.h"
#include "proxy/lookup.h"
#include "proxy/poller.h"
#include "proxy/stand_ins.h"

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
    StandIns stand_ins;
    Inside inside;
};

// How a client says where it wants to go.
enum class Door : uint8_t {
    Http,       // in a request
    Raw,        // in a preamble (keeper/forwarding.h)
    Published,  // not at all: it comes from the machine, and wants a port of the session
};

class Connection {
public:
    // The descriptors that it may watch: tag = first tag + role.
    enum Role : uint8_t { Client, Server, FirstQuery, SecondQuery };
    static constexpr uint64_t roles = 4;

    struct Arrival {
        os::Fd client;
        Door door = Door::Http;
        uint16_t port = 0;  // that is published
    };
    Connection(World& world, Arrival arrival, uint64_t first_tag, Clock::time_point now);

    // Also with events that are no longer true.
    void on_ready(Role role, Clock::time_point now);
    void on_time(Clock::time_point now);

    // The number of the answer that it waits for, or 0; and that answer, for one that came through
    // a published port.
    uint32_t awaited() const { return phase_ == Phase::Inside ? asked_ : 0; }
    void on_inside(os::Fd socket, Clock::time_point now);

    bool closed() const { return phase_ == Phase::Closed; }
    Clock::time_point deadline() const;

private:
    enum class Phase { Head, Inside, Lookup, Connect, Relay, Farewell, Closed };

    void read_head(Clock::time_point now);
    void read_preamble(Clock::time_point now);
    void ask_for_socket(wire::InsideFamily family, Clock::time_point now);
    void decide(Clock::time_point now);
    void see_lookup(Clock::time_point now);
    void choose(std::vector<Address> addresses, Clock::time_point now);
    void connect_next(Clock::time_point now);
    void finish_connect(Clock::time_point now);
    void start_relay(Clock::time_point now);
    void relay(Clock::time_point now);
    void deny(const Denial& denial, Clock::time_point now);
    void refuse(const Refusal& refusal, Clock::time_point now);
    void fail(int error, Clock::time_point now);
    void say_last(Clock::time_point now);
    void say_farewell(Clock::time_point now);
    void take_leave();
    void watch_relay();
    void reset();
    void close();

    World& world_;
    Watched client_;
    Watched server_;
    uint64_t first_tag_;
    Door door_;
    bool answers_ = false;                                // a byte that says how connecting went
    uint32_t asked_ = 0;                                  // the number of a question to the mason
    wire::InsideFamily family_ = wire::InsideFamily::V4;  // of a socket inside
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
