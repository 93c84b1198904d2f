// One client's connection: requests are read, one after the other, and answered in their order.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "serve/http_exchange.h"
#include "serve/http_loop.h"
#include "serve/http_wire.h"

namespace husk::serve::http {

struct Bounds {
    size_t head_bytes = 16 * 1024;
    size_t body_bytes = size_t{1} << 20;
    size_t long_body_bytes = size_t{16} << 20;      // where `takes_long_body` says so
    std::chrono::milliseconds head_within{10'000};  // also the handshake of TLS
    std::chrono::milliseconds body_within{60'000};
    std::chrono::milliseconds idle_within{75'000};   // from one request to the next
    std::chrono::milliseconds write_within{30'000};  // for what is written at a time
};

// What is done with requests.
struct Service {
    // With the head alone: whether to refuse it, before a body is read.
    std::function<std::optional<Response>(const Request& head)> refuse;
    std::function<bool(const Request& head)> takes_long_body;
    std::function<void(const ExchangePtr& exchange)> handle;
    Bounds bounds = {};
};

struct Peer {
    bool is_local = false;
    std::string local_address = {};
};

class Connection : public Answerer, public std::enable_shared_from_this<Connection> {
public:
    Connection(Loop& loop, std::unique_ptr<Wire> wire, Peer peer, const Service& service,
               std::function<void(const Connection*)> on_closed);
    ~Connection() override;

    void start();
    void close();
    // No further request is taken; one that is being answered is answered.
    void close_when_idle();

    void begin(uint64_t number, std::string head) override;
    void write(uint64_t number, std::string bytes) override;
    void end(uint64_t number) override;
    size_t unsent() const override { return waiting_.size() + writing_.size(); }

private:
    enum class State {
        Greeting,
        Idle,
        Head,
        Body,
        Answering,
        Draining,  // refused; what was already on its way is read, so that the answer arrives
        Closed,
    };
    struct Parser;

    void read();
    void take(size_t bytes);
    void parse();
    bool parse_some();
    bool take_head();
    void refuse(const Response& response);
    void dispatch();
    void flush();
    void wrote(bool well);
    void next();
    void set_deadline(std::chrono::milliseconds within);
    Request head_of_request() const;

    Loop& loop_;
    std::unique_ptr<Wire> wire_;
    Peer peer_;
    const Service& service_;
    std::function<void(const Connection*)> on_closed_;
    Timer deadline_;
    Timer write_deadline_;

    State state_ = State::Greeting;
    std::unique_ptr<Parser> parser_;
    std::string piece_;   // being read into
    std::string buffer_;  // read and not parsed
    bool reading_ = false;

    Request request_;  // its head, while the body comes
    std::weak_ptr<Exchange> exchange_;
    uint64_t number_ = 0;  // of the exchange
    bool ended_ = false;   // the answer is complete, though perhaps not taken
    bool last_ = false;    // closes behind it
    bool refused_ = false;
    std::string waiting_;
    std::string writing_;
};

}  // namespace husk::serve::http
