// One request and its answer, as a handler has them. All of it on the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "serve/http_message.h"

namespace husk::serve::http {

// Who writes the answers of one connection.
class Answerer {
public:
    virtual ~Answerer() = default;
    virtual void begin(uint64_t number, std::string head) = 0;
    virtual void write(uint64_t number, std::string bytes) = 0;
    virtual void end(uint64_t number) = 0;
    virtual size_t unsent() const = 0;
};

// A handler keeps it until it has answered: at once with respond(), or piece by piece with
// stream(), write() and finish(). What is said to a client that has gone is dropped. One that is
// forgotten without an answer has failed, and says so.
class Exchange {
public:
    Exchange(std::weak_ptr<Answerer> answerer, uint64_t number, Request what);
    ~Exchange();
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    const Request request;

    void respond(const Response& response);
    void fail(int status, std::string_view code, std::string_view message) {
        respond(error_response(status, code, message));
    }

    void stream(const Response& head);
    void write(std::string_view bytes);
    void finish();
    bool has_begun() const { return state_ != State::Fresh; }
    bool is_over() const { return state_ == State::Over; }
    // What the client has not taken yet.
    size_t unsent() const;

    // Called when all that was written has been taken; and, at most once, when the client goes
    // away before the end.
    std::function<void()> on_drained;
    std::function<void()> on_gone;
    // For whoever counts: with the status, when the answer begins.
    std::function<void(int status)> on_status;

    // By the connection.
    void client_is_gone();

private:
    enum class State { Fresh, Streaming, Over };
    std::weak_ptr<Answerer> answerer_;
    uint64_t number_;
    State state_ = State::Fresh;
};

using ExchangePtr = std::shared_ptr<Exchange>;

}  // namespace husk::serve::http
