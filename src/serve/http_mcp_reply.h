// The answer to one POST of MCP: plain JSON when it comes soon, else a stream of events.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "serve/connection.h"
#include "serve/http_exchange.h"
#include "serve/http_loop.h"

namespace husk::serve::http {

class Reply : public std::enable_shared_from_this<Reply> {
public:
    struct Options {
        std::string stream = {};    // its name; empty: it cannot be resumed
        bool primed = false;        // the stream begins with an id, for whoever resumes it
        bool status_tells = false;  // an error has a status of its own
        std::vector<std::pair<std::string, std::string>> headers = {};
        // On the loop's thread: the answer was handed over; the client went before that.
        std::function<void()> on_done = {};
        std::function<void()> on_left = {};
    };
    Reply(Loop& loop, ExchangePtr exchange, Options options);

    // What a connection says, by any thread.
    Ways ways();

    // The client has come back, and has seen everything up to this number.
    void resume(ExchangePtr exchange, uint64_t seen);
    // Nobody listens any more; unless somebody does by then, `work` is done, and it is over.
    void end_unless_resumed(std::chrono::milliseconds within, std::function<void()> work);

    void start();

private:
    void answer(const Json& message);
    void aside(const Json& message);
    void begin_stream();
    void add_frame(const Json& message);
    void attach(ExchangePtr exchange);
    void keep_alive();
    void done();

    Loop& loop_;
    ExchangePtr exchange_;
    Options options_;
    Timer timer_;
    bool takes_stream_;
    bool streaming_ = false;
    bool complete_ = false;
    uint64_t next_ = 1;
    std::deque<std::pair<uint64_t, std::string>> frames_;  // for whoever comes back
};

using ReplyPtr = std::shared_ptr<Reply>;

// Whether a client takes this type, by its `Accept`.
bool accepts(const Request& request, std::string_view type);

}  // namespace husk::serve::http
