#include "serve/http_mcp.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/id.h"
#include "base/units.h"
#include "serve/http_events.h"
#include "serve/http_mcp_headers.h"

namespace husk::serve::http {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t most_sessions = 1000;
constexpr std::chrono::hours idle_session(1);
constexpr std::chrono::minutes sweep_interval(1);
// A client of the era with connections that has lost its stream comes back soon, or not at all.
constexpr std::chrono::seconds comes_back_within(5);

bool has_request(const Json& message) {
    if (message.is_array()) return std::ranges::any_of(message, has_request);
    return message.is_object() && message.contains("method") && message.contains("id");
}

Json ids_in(const Json& message) {
    Json ids = Json::array();
    if (message.is_array())
        for (const Json& one : message) ids.push_back(member(one, "id"));
    else
        ids.push_back(member(message, "id"));
    return ids;
}

void refuse(const ExchangePtr& exchange, int status, const Json& id, const Fault& fault) {
    exchange->respond(json_response(status, error_message(id, fault)));
}

void nothing_to_say(const ExchangePtr& exchange) {
    exchange->respond({.status = 202, .type = "", .body = ""});
}

}  // namespace

struct Mcp::Session {
    std::string id;
    std::shared_ptr<serve::Connection> connection;
    std::map<std::string, ReplyPtr> replies;  // by the name of their stream
    ExchangePtr listening;                    // the stream of a GET, if there is one
    Clock::time_point used = Clock::now();
};

Mcp::Mcp(Loop& loop, tool::Toolbox& toolbox, Calls& calls)
    : loop_(loop),
      server_(toolbox,
              [&calls](std::string tool, std::string arguments, tool::CallContext context,
                       tool::Toolbox::Done done) {
                  calls.start({.via = "mcp",
                               .tool = std::move(tool),
                               .arguments = std::move(arguments),
                               .context = std::move(context)},
                              std::move(done));
              }),
      sweep_(loop) {
    sweep();
}

Mcp::~Mcp() = default;

void Mcp::handle(const ExchangePtr& exchange) {
    const std::string& method = exchange->request.method;
    const bool without = exchange->request.header("mcp-protocol-version") >= version_without;
    if (method == "POST") return post(exchange);
    if (method == "GET" && !without) return get(exchange);
    if (method == "DELETE" && !without) return remove(exchange);
    Response response = error_response(405, "no_such_method", "this path takes POST");
    response.headers.emplace_back("Allow", without ? "POST" : "GET, POST, DELETE");
    exchange->respond(response);
}

void Mcp::post(const ExchangePtr& exchange) {
    const std::string type = lower_case(exchange->request.header("content-type"));
    if (!type.starts_with("application/json"))
        return exchange->fail(415, "wrong_type", "Content-Type must be application/json");
    if (!accepts(exchange->request, "application/json"))
        return exchange->fail(406, "wrong_type", "Accept must have application/json");
    const auto message = parse_message(exchange->request.body);
    if (!message) return refuse(exchange, 400, nullptr, message.error());
    if (is_without_connections(exchange->request, *message))
        return post_without(exchange, *message);
    post_with(exchange, *message);
}

// Each request stands for itself: a connection for it alone, which ends with its answer, or when
// the client closes the stream.
void Mcp::post_without(const ExchangePtr& exchange, const Json& message) {
    if (!has_request(message) || message.is_array()) {
        if (message.is_array())
            return refuse(exchange, 400, nullptr, {Code::NotARequest, "there are no batches"});
        return nothing_to_say(exchange);
    }
    const Json& meta = member(member(message, "params"), "_meta");
    if (const auto fault = check_headers(exchange->request, message))
        return refuse(exchange, 400, member(message, "id"), *fault);
    const bool says_who = member(meta, "io.modelcontextprotocol/protocolVersion").is_string() &&
                          member(meta, "io.modelcontextprotocol/clientCapabilities").is_object();
    if (!says_who)
        return refuse(exchange, 400, member(message, "id"),
                      {Code::BadParameters,
                       "`_meta` needs io.modelcontextprotocol/protocolVersion and "
                       "io.modelcontextprotocol/clientCapabilities"});
    if (member(message, "method") == "subscriptions/listen" &&
        !accepts(exchange->request, "text/event-stream"))
        return exchange->fail(406, "wrong_type", "Accept must have text/event-stream");
    const auto connection = std::make_shared<serve::Connection>(server_, [](const Json&) {});
    const auto reply = std::make_shared<Reply*>(nullptr);
    const auto over = [this, connection, reply] {
        std::erase_if(single_, [&](const auto& one) { return one.first.get() == *reply; });
        connection->abandon();
        dispose(connection);
    };
    const auto made = std::make_shared<Reply>(
        loop_, exchange, Reply::Options{.status_tells = true, .on_done = over, .on_left = over});
    *reply = made.get();
    single_.emplace(made, connection);
    made->start();
    connection->receive(exchange->request.body, made->ways());
}

ReplyPtr Mcp::reply_in(const SessionPtr& session, const ExchangePtr& exchange, Reply::Options how) {
    const std::string name = std::to_string(++streams_);
    how.stream = name;
    how.on_done = [weak = std::weak_ptr(session), name] {
        if (const auto here = weak.lock()) here->replies.erase(name);
    };
    const auto reply = std::make_shared<Reply>(loop_, exchange, std::move(how));
    session->replies.emplace(name, reply);
    reply->start();
    return reply;
}

void Mcp::begin_session(const ExchangePtr& exchange) {
    if (sessions_.size() >= most_sessions) {
        const auto oldest = std::ranges::min_element(
            sessions_, {}, [](const auto& one) { return one.second->used; });
        end(oldest->second);
    }
    const auto session = std::make_shared<Session>();
    session->id = random_id(32);
    const auto listen = [&loop = loop_, weak = std::weak_ptr(session)](const Json& said) {
        loop.post([weak, said] {
            const auto here = weak.lock();
            if (!here || !here->listening) return;
            constexpr size_t much = 64 * 1024;
            if (may_be_dropped(said) && here->listening->unsent() > much) return;
            here->listening->write(sse_frame("", "message", said.dump()));
        });
    };
    session->connection = std::make_shared<serve::Connection>(server_, listen, session->id);
    sessions_.emplace(session->id, session);
    const ReplyPtr reply =
        reply_in(session, exchange, {.headers = {{"Mcp-Session-Id", session->id}}});
    session->connection->receive(exchange->request.body, reply->ways());
}

Mcp::SessionPtr Mcp::session_of(const ExchangePtr& exchange) {
    const std::string id = exchange->request.header("mcp-session-id");
    if (id.empty()) {
        refuse(exchange, 400, nullptr,
               {Code::NotARequest, "the header Mcp-Session-Id is missing; `initialize` gives it"});
        return nullptr;
    }
    const auto found = sessions_.find(id);
    if (found == sessions_.end()) {
        refuse(exchange, 404, nullptr,
               {Code::NotARequest, "there is no such session; begin with `initialize`"});
        return nullptr;
    }
    found->second->used = Clock::now();
    return found->second;
}

void Mcp::post_with(const ExchangePtr& exchange, const Json& message) {
    if (member(message, "method") == "initialize" && has_request(message))
        return begin_session(exchange);
    const SessionPtr session = session_of(exchange);
    if (!session) return;
    const std::string version = exchange->request.header("mcp-protocol-version");
    if (!version.empty() && version != session->connection->version())
        return refuse(
            exchange, 400, nullptr,
            {Code::NotARequest, "MCP-Protocol-Version is not what `initialize` agreed on"});
    if (!has_request(message)) {
        session->connection->receive(exchange->request.body,
                                     {[](const Json&) {}, [](const Json&) {}});
        return nothing_to_say(exchange);
    }
    const auto reply = std::make_shared<std::weak_ptr<Reply>>();
    Reply::Options how{.primed = session->connection->version() >= "2025-11-25"};
    how.on_left = [weak = std::weak_ptr(session), reply, ids = ids_in(message)] {
        const auto here = weak.lock();
        const auto lost = reply->lock();
        if (!here || !lost) return;
        lost->end_unless_resumed(comes_back_within, [here, ids] {
            for (const Json& id : ids) {
                const Json cancelled = {{"jsonrpc", "2.0"},
                                        {"method", "notifications/cancelled"},
                                        {"params", {{"requestId", id}}}};
                here->connection->receive(cancelled.dump());
            }
        });
    };
    const ReplyPtr made = reply_in(session, exchange, std::move(how));
    *reply = made;
    session->connection->receive(exchange->request.body, made->ways());
}

void Mcp::get(const ExchangePtr& exchange) {
    if (!accepts(exchange->request, "text/event-stream"))
        return exchange->fail(406, "wrong_type", "Accept must have text/event-stream");
    const SessionPtr session = session_of(exchange);
    if (!session) return;
    const std::string last = exchange->request.header("last-event-id");
    if (const size_t dash = last.rfind('-'); dash != std::string::npos) {
        const auto found = session->replies.find(last.substr(0, dash));
        const auto seen = text::parse_number(std::string_view(last).substr(dash + 1));
        if (found != session->replies.end() && seen) {
            const ReplyPtr reply = found->second;
            return reply->resume(exchange, *seen);
        }
    }
    if (session->listening)
        return exchange->fail(409, "busy", "this session has such a stream already");
    session->listening = exchange;
    exchange->on_gone = [weak = std::weak_ptr(session)] {
        if (const auto here = weak.lock()) here->listening.reset();
    };
    exchange->stream(event_stream_head());
    exchange->write(":\n\n");
}

void Mcp::remove(const ExchangePtr& exchange) {
    const SessionPtr session = session_of(exchange);
    if (!session) return;
    end(session);
    exchange->respond({.status = 204, .type = ""});
}

void Mcp::end(SessionPtr session) {
    sessions_.erase(session->id);
    session->connection->abandon();
    if (session->listening) session->listening->finish();
    session->listening.reset();
    session->replies.clear();
    dispose(std::move(session->connection));
}

// It waits for calls that were cancelled, which this thread must not.
void Mcp::dispose(std::shared_ptr<serve::Connection> connection) {
    gone_.post([connection = std::move(connection)] { connection->close(); });
}

void Mcp::sweep() {
    sweep_.set(sweep_interval, [this] {
        std::vector<SessionPtr> old;
        for (const auto& [id, session] : sessions_)
            if (Clock::now() - session->used > idle_session && session->replies.empty() &&
                !session->listening)
                old.push_back(session);
        for (const SessionPtr& session : old) end(session);
        for (const auto& [id, session] : sessions_)
            if (session->listening && session->listening->unsent() == 0)
                session->listening->write(":\n\n");
        sweep();
    });
}

void Mcp::close() {
    sweep_.cancel();
    while (!sessions_.empty()) end(sessions_.begin()->second);
    for (const auto& [reply, connection] : single_) connection->end_subscriptions();
}

}  // namespace husk::serve::http
