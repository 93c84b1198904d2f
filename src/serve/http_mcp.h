// MCP over HTTP: POST /mcp in both eras at once, and what the one with connections needs besides.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "serve/connection.h"
#include "serve/http_calls.h"
#include "serve/http_exchange.h"
#include "serve/http_loop.h"
#include "serve/http_mcp_reply.h"
#include "tool/workers.h"

namespace husk::serve::http {

class Mcp {
public:
    Mcp(Loop& loop, tool::Toolbox& toolbox, Calls& calls);
    ~Mcp();

    void handle(const ExchangePtr& exchange);
    size_t sessions() const { return sessions_.size(); }
    // Ends what is under way.
    void close();

private:
    struct Session;
    using SessionPtr = std::shared_ptr<Session>;

    void post(const ExchangePtr& exchange);
    void post_without(const ExchangePtr& exchange, const Json& message);
    void post_with(const ExchangePtr& exchange, const Json& message);
    void begin_session(const ExchangePtr& exchange);
    void get(const ExchangePtr& exchange);
    void remove(const ExchangePtr& exchange);
    // The one that the request names; none, and an answer, where there is none.
    SessionPtr session_of(const ExchangePtr& exchange);
    ReplyPtr reply_in(const SessionPtr& session, const ExchangePtr& exchange, Reply::Options how);
    void end(SessionPtr session);  // a copy, because the table loses its own
    void dispose(std::shared_ptr<serve::Connection> connection);
    void sweep();

    Loop& loop_;
    serve::Server server_;
    std::map<std::string, SessionPtr> sessions_;
    std::map<ReplyPtr, std::shared_ptr<serve::Connection>>
        single_;  // of requests without a session
    uint64_t streams_ = 0;
    Timer sweep_;
    tool::Workers gone_{8};  // for waiting until what was cancelled is over
};

}  // namespace husk::serve::http
