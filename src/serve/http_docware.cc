#include "serve/http_docware.h"

#include <utility>

#include "render/report_json.h"
#include "serve/http_v1.h"

namespace husk::serve::http {
namespace {

// As many as calls are remembered, and those that can be under way.
constexpr size_t most_known = 8192;

bool serves_docware(const Parts& parts, const ExchangePtr& exchange) {
    if (parts.about["contract"] == "docware") return true;
    exchange->fail(404, "no_such_contract",
                   "this server serves another contract; start it with --contract docware");
    return false;
}

// The call as it is now; none when it is forgotten.
std::optional<Json> response_to(const Parts& parts, const std::string& request_id) {
    const auto* known = parts.docware.find(request_id);
    const auto text = known != nullptr ? parts.calls.json(known->call) : std::nullopt;
    if (!text) return std::nullopt;
    const Json now = Json::parse(*text, nullptr, false);
    contract::DocwareState state{.request_id = request_id,
                                 .now = now_ms(),
                                 .started = now["started"].get<int64_t>(),
                                 .is_cancelled = now["state"] == "cancelled",
                                 .output = member(now["result"], "structuredContent"),
                                 .denials = member(now["report"], "denials"),
                                 .figures = known->figures};
    if (now["ended"].is_number()) state.ended = now["ended"].get<int64_t>();
    if (const auto* sample = parts.calls.sample(known->call))
        state.usage = contract::docware_usage(*sample);
    return contract::docware_response(state);
}

std::string frame_of(const Json& response) { return sse_frame("", "", render::dump(response)); }

// A response for each record while the command runs, and at the end the one that has all of it.
void stream_to(Parts& parts, const ExchangePtr& exchange, const contract::DocwareRequest& request,
               Calls::New& call) {
    exchange->stream(event_stream_head());
    const bool tells_usage = request.figures == contract::UsageFigures::Told;
    call.context.on_record = [&parts, exchange, id = request.id, tells_usage](const Json& record) {
        if (!tells_usage && record["type"] == "resource") return;
        parts.loop.post([&parts, exchange, id, record] {
            auto response = response_to(parts, id);
            if (!response || (*response)["status"] != "running") return;
            (*response)["streamData"] = contract::docware_stream_data(record);
            exchange->write(frame_of(*response));
        });
    };
    call.on_over = [&parts, exchange, id = request.id](const std::string&) {
        if (const auto response = response_to(parts, id)) exchange->write(frame_of(*response));
        exchange->finish();
    };
}

void respond(Parts& parts, const ExchangePtr& exchange, int status, const std::string& request_id) {
    const auto response = response_to(parts, request_id);
    if (!response)
        return exchange->fail(404, "no_such_request", "there is no request " + request_id);
    exchange->respond(json_response(status, *response));
}

}  // namespace

bool DocwareRequests::add(const std::string& request_id, Known known) {
    if (!known_.emplace(request_id, std::move(known)).second) return false;
    in_order_.push_back(request_id);
    if (in_order_.size() > most_known) {
        known_.erase(in_order_.front());
        in_order_.pop_front();
    }
    return true;
}

const DocwareRequests::Known* DocwareRequests::find(const std::string& request_id) const {
    const auto found = known_.find(request_id);
    return found == known_.end() ? nullptr : &found->second;
}

void request_execution(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    if (!serves_docware(parts, exchange)) return;
    const auto body = body_of(exchange);
    if (!body) return;
    auto request = contract::docware_request(*body);
    if (!request) return exchange->fail(400, "bad_request", request.error());
    if (parts.docware.find(request->id) != nullptr)
        return exchange->fail(409, "request_exists", "there is a request " + request->id);
    if (parts.calls.under_way() >= most_under_way)
        return exchange->fail(429, "busy", "too many calls are under way; try again later");
    const std::string wait = value_of(exchange->request, "wait");
    const bool streams = exchange->request.header("accept").contains("text/event-stream");
    const bool waits = streams || (wait != "false" && wait != "0");
    if (streams) request->arguments["stream_output"] = true;
    Calls::New call{.via = "v1", .tool = "Bash", .arguments = render::dump(request->arguments)};
    call.context.apart = request->session;
    if (streams)
        stream_to(parts, exchange, *request, call);
    else if (waits)
        call.on_over = [&parts, exchange, id = request->id](const std::string&) {
            respond(parts, exchange, 200, id);
        };
    const std::string call_id = parts.calls.start(std::move(call));
    parts.docware.add(request->id, {.call = call_id, .figures = request->figures});
    if (!waits) return respond(parts, exchange, 202, request->id);
    exchange->on_gone = [&parts, call_id] { parts.calls.cancel(call_id); };
}

void tell_execution(Parts& parts, const ExchangePtr& exchange, const PathParts& path) {
    if (serves_docware(parts, exchange)) respond(parts, exchange, 200, path[0]);
}

void end_execution(Parts& parts, const ExchangePtr& exchange, const PathParts& path) {
    if (!serves_docware(parts, exchange)) return;
    if (const auto* known = parts.docware.find(path[0])) parts.calls.cancel(known->call);
    respond(parts, exchange, 200, path[0]);
}

}  // namespace husk::serve::http
