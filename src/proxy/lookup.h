// The addresses of one name, asked for without blocking. There is no getaddrinfo in a static
// program; and here a name is looked up as it was compared, without search domains.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proxy/dns.h"
#include "proxy/poller.h"

namespace husk::proxy {

struct Sources {
    std::string hosts = "/etc/hosts";
    std::string resolv_conf = "/etc/resolv.conf";
    uint16_t port = 53;  // of the name servers
};

// One question to one name server after the other: over UDP, and over TCP where the answer
// does not fit.
class Query {
public:
    Query(const Poller& poller, std::vector<Address> servers, uint16_t port, Question question,
          uint64_t tag);

    void start(Clock::time_point now) { ask_next(now); }
    void on_ready(Clock::time_point now);
    void on_time(Clock::time_point now);

    bool ended() const { return ended_; }
    Clock::time_point deadline() const { return deadline_; }
    const std::vector<Address>& found() const { return found_; }

private:
    void ask_next(Clock::time_point now);
    bool ask(int type);
    void send_over_tcp(Clock::time_point now);
    void read_datagram(Clock::time_point now);
    void read_stream(Clock::time_point now);
    void take(std::string_view message, Clock::time_point now);
    void end();

    const Poller& poller_;
    std::vector<Address> servers_;
    uint16_t port_;
    Question question_;
    Watched socket_;
    size_t attempt_ = 0;
    bool over_tcp_ = false;
    bool sent_ = false;
    bool ended_ = false;
    std::string received_;
    std::vector<Address> found_;
    Clock::time_point deadline_;
};

class Lookup {
public:
    // Asks at once; `tags` are for its two sockets.
    Lookup(const Poller& poller, const Sources& sources, const std::string& name,
           std::array<uint64_t, 2> tags, Clock::time_point now);

    void on_ready(size_t which, Clock::time_point now);
    void on_time(Clock::time_point now);

    bool ended() const { return ended_; }
    Clock::time_point deadline() const;

    // IPv4 first; none if there is no such name.
    std::vector<Address> addresses() const;

private:
    void see(Clock::time_point now);

    std::vector<Address> from_hosts_;
    std::vector<Query> queries_;
    std::optional<Clock::time_point>
        patience_;  // with the slower one, once the other has something
    bool ended_ = false;
};

}  // namespace husk::proxy
