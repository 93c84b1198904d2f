#include "serve/http_v1.h"

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "render/report_json.h"
#include "render/verdict_json.h"

namespace husk::serve::http {
namespace {

void tell_about(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    exchange->respond(json_response(200, parts.about));
}

void describe(Parts&, const ExchangePtr& exchange, const PathParts&) {
    exchange->respond({.body = std::string(openapi_document())});
}

void list_tools(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    answer_later(parts, exchange, [&parts] {
        parts.toolbox.look_at_configuration();
        return json_response(200, parts.toolbox.tools());
    });
}

void list_calls(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    exchange->respond({.body = parts.calls.list_json()});
}

void respond_with_call(Parts& parts, const ExchangePtr& exchange, int status,
                       const std::string& id) {
    auto call = parts.calls.json(id);
    if (!call) return exchange->fail(404, "no_such_call", "there is no call " + id);
    exchange->respond({.status = status, .body = *std::move(call) + "\n"});
}

void tell_call(Parts& parts, const ExchangePtr& exchange, const PathParts& path) {
    respond_with_call(parts, exchange, 200, path[0]);
}

void cancel_call(Parts& parts, const ExchangePtr& exchange, const PathParts& path) {
    parts.calls.cancel(path[0]);
    respond_with_call(parts, exchange, 200, path[0]);
}

void call_tool(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    const auto body = body_of(exchange);
    if (!body) return;
    const Json& tool = member(*body, "tool");
    const Json& arguments = member(*body, "arguments");
    const Json& wait = member(*body, "wait");
    if (!tool.is_string() || !(arguments.is_object() || arguments.is_null()) ||
        !(wait.is_boolean() || wait.is_null()))
        return exchange->fail(400, "bad_request",
                              "`tool` is a text, `arguments` an object, `wait` true or false");
    if (parts.calls.under_way() >= most_under_way)
        return exchange->fail(429, "busy", "too many calls are under way; try again later");
    Calls::New call{.via = "v1",
                    .tool = tool.get<std::string>(),
                    .arguments = arguments.is_null() ? "{}" : render::dump(arguments)};
    if (wait == false)
        return respond_with_call(parts, exchange, 202, parts.calls.start(std::move(call)));
    const auto id = std::make_shared<std::string>();
    call.on_over = [&parts, exchange, id](const std::string& no_such_tool) {
        if (!no_such_tool.empty()) return exchange->fail(404, "no_such_tool", no_such_tool);
        respond_with_call(parts, exchange, 200, *id);
    };
    *id = parts.calls.start(std::move(call));
    exchange->on_gone = [&parts, id] { parts.calls.cancel(*id); };
}

// Texts, or null for a variable that is taken away.
bool are_variables(const Json& env) {
    if (env.is_null()) return true;
    if (!env.is_object()) return false;
    return std::ranges::all_of(
        env, [](const Json& value) { return value.is_string() || value.is_null(); });
}

std::optional<husk::Request> question_in(const Json& body) {
    const Json& command = member(body, "command");
    const Json& cwd = member(body, "cwd");
    const Json& input = member(body, "stdin");
    const Json& env = member(body, "env");
    const auto is_text = [](const Json& value) { return value.is_string() || value.is_null(); };
    if (!command.is_string() || !is_text(cwd) || !is_text(input) || !are_variables(env))
        return std::nullopt;
    husk::Request request;
    request.command = command.get<std::string>();
    if (cwd.is_string()) request.working_dir = cwd.get<std::string>();
    if (input.is_string()) request.input = InputText{input.get<std::string>()};
    for (const auto& [name, value] : env.items())
        request.env[name] =
            value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
    return request;
}

void judge(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    const auto body = body_of(exchange);
    if (!body) return;
    const auto request = question_in(*body);
    if (!request)
        return exchange->fail(400, "bad_request",
                              "`command`, `cwd` and `stdin` are texts, `env` has texts and null");
    answer_later(parts, exchange, [&parts, request] {
        parts.toolbox.look_at_configuration();
        const tool::Judged judged = parts.toolbox.verdict(*request);
        return json_response(200, render::verdict_json(judged.script, judged.verdict));
    });
}

void list_approvals(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    const std::string state = value_of(exchange->request, "state");
    if (!state.empty() && state != "pending" && state != "all")
        return exchange->fail(400, "bad_request", "`state` is pending or all");
    using enum Board::Which;
    exchange->respond(json_response(200, parts.board.list(state == "all" ? All : Pending)));
}

void respond_with_approval(Parts& parts, const ExchangePtr& exchange, int status,
                           const std::string& id) {
    const auto approval = parts.board.find(id);
    if (!approval) return exchange->fail(404, "no_such_approval", "there is no approval " + id);
    exchange->respond(json_response(status, *approval));
}

void tell_approval(Parts& parts, const ExchangePtr& exchange, const PathParts& path) {
    respond_with_approval(parts, exchange, 200, path[0]);
}

std::optional<Board::Decision> decision_in(const Json& body) {
    const Json& word = member(body, "decision");
    if (word == "allow") return Board::Decision::Allow;
    if (word == "allow_always") return Board::Decision::AllowAlways;
    if (word == "deny") return Board::Decision::Deny;
    return std::nullopt;
}

void answer_approval(Parts& parts, const ExchangePtr& exchange, const PathParts& path) {
    const auto body = body_of(exchange);
    if (!body) return;
    const auto decision = decision_in(*body);
    const Json& reason = member(*body, "reason");
    if (!decision || !(reason.is_string() || reason.is_null()))
        return exchange->fail(400, "bad_request",
                              "`decision` is allow, allow_always or deny; `reason` is a text");
    parts.board.answer(path[0], *decision,
                       reason.is_string() ? reason.get<std::string>() : std::string(),
                       [&parts, exchange, id = path[0]](Board::Outcome outcome) {
                           using enum Board::Outcome;
                           if (outcome == OnlyOnce)
                               return exchange->fail(409, "only_once",
                                                     "this cannot be allowed always; `allow` it "
                                                     "once, or deny it");
                           const int status = outcome == TooLate ? 409 : 200;
                           respond_with_approval(parts, exchange, status, id);
                       });
}

void make_link(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    using namespace std::chrono;
    const Gate::Link link = parts.gate.make_link(system_clock::now());
    const auto expires = duration_cast<milliseconds>(link.expires.time_since_epoch()).count();
    exchange->respond(json_response(200, {{"url", parts.url + link.path}, {"expires", expires}}));
}

void listen(Parts& parts, const ExchangePtr& exchange, const PathParts&) {
    parts.events.listen(exchange);
}

constexpr V1Route routes[] = {
    {"GET", "/v1", tell_about},
    {"GET", "/v1/openapi.json", describe},
    {"GET", "/v1/tools", list_tools},
    {"GET", "/v1/calls", list_calls},
    {"POST", "/v1/calls", call_tool},
    {"GET", "/v1/calls/{id}", tell_call},
    {"DELETE", "/v1/calls/{id}", cancel_call},
    {"GET", "/v1/shells", list_shells},
    {"GET", "/v1/shells/{id}", tell_shell},
    {"GET", "/v1/shells/{id}/output", read_output},
    {"GET", "/v1/shells/{id}/follow", follow_output},
    {"POST", "/v1/shells/{id}/kill", kill_shell},
    {"POST", "/v1/verdicts", judge},
    {"GET", "/v1/approvals", list_approvals},
    {"GET", "/v1/approvals/{id}", tell_approval},
    {"POST", "/v1/approvals/{id}", answer_approval},
    {"GET", "/v1/audit", search_audit},
    {"GET", "/v1/stats", tell_stats},
    {"GET", "/v1/docware/metrics", tell_metrics},
    {"POST", "/v1/docware/requests", request_execution},
    {"GET", "/v1/docware/requests/{id}", tell_execution},
    {"DELETE", "/v1/docware/requests/{id}", end_execution},
    {"POST", "/v1/links", make_link},
    {"GET", "/v1/events", listen},
};

}  // namespace

std::span<const V1Route> v1_routes() { return routes; }

void answer_later(Parts& parts, ExchangePtr exchange, std::function<Response()> work) {
    parts.workers.post([&parts, exchange = std::move(exchange), work = std::move(work)]() mutable {
        // What a handler holds goes with it, on its own thread.
        parts.loop.post(
            [exchange = std::move(exchange), response = work()] { exchange->respond(response); });
    });
}

std::optional<Json> body_of(const ExchangePtr& exchange) {
    if (exchange->request.body.empty()) return Json::object();
    auto body = parse_message(exchange->request.body);
    if (body && body->is_object()) return *std::move(body);
    exchange->fail(400, "bad_request", body ? "the body is a JSON object" : body.error().message);
    return std::nullopt;
}

std::string value_of(const Request& request, const char* name) {
    const auto found = request.query.find(name);
    return found == request.query.end() ? std::string() : found->second;
}

std::optional<uint64_t> number_of(const ExchangePtr& exchange, const char* name, uint64_t usual,
                                  uint64_t most) {
    const std::string text = value_of(exchange->request, name);
    if (text.empty()) return usual;
    const auto number = text::parse_number(text);
    if (number && *number <= most) return number;
    exchange->fail(400, "bad_request",
                   std::string("`") + name + "` is a number up to " + std::to_string(most));
    return std::nullopt;
}

}  // namespace husk::serve::http
