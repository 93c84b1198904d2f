#include "serve/json_rpc.h"

#include <array>
#include <utility>

namespace husk::serve {
namespace {

constexpr size_t deepest = 100;
constexpr size_t most_members = 1000;

// Why a text is not even parsed; empty when it can be. A value adds a member to an object by
// looking at all others, so their number is bounded too.
std::string unbounded(std::string_view text) {
    std::array<size_t, deepest + 1> members{};  // of the objects that are open
    size_t depth = 0;
    bool quoted = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (letter == '"') quoted = !quoted;
        if (quoted && letter == '\\') ++at;
        if (quoted) continue;
        if (letter == '[' || letter == '{') {
            if (++depth > deepest) return "the message is nested too deeply";
            members[depth] = 0;
        }
        if ((letter == ']' || letter == '}') && depth > 0) --depth;
        if (letter == ':' && ++members[depth] > most_members)
            return "an object of the message has more than " + std::to_string(most_members) +
                   " members";
    }
    return "";
}

bool is_id(const Json& id) { return id.is_string() || id.is_number(); }

Malformed malformed(const Json& id, std::string message) {
    return {is_id(id) ? id : Json(nullptr), {Code::NotARequest, std::move(message)}};
}

}  // namespace

std::expected<Json, Fault> parse_message(std::string_view text) {
    if (std::string why = unbounded(text); !why.empty())
        return std::unexpected(Fault{Code::NotJson, std::move(why)});
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded())
        return std::unexpected(Fault{Code::NotJson, "the message is not valid JSON in UTF-8"});
    return json;
}

bool may_be_dropped(const Json& message) {
    const Json& method = member(message, "method");
    return method == "notifications/progress" || method == "notifications/resources/updated" ||
           method == "notifications/resources/list_changed";
}

Message read_message(const Json& json) {
    if (!json.is_object()) return malformed(nullptr, "a message is a JSON object");
    const Json& id = member(json, "id");
    if (member(json, "jsonrpc") != "2.0") return malformed(id, "`jsonrpc` must be \"2.0\"");
    if (json.contains("id") && !is_id(id))
        return malformed(nullptr, "`id` must be a text or a number");
    if (!json.contains("method")) {
        const bool answers = json.contains("result") != json.contains("error");
        if (json.contains("id") && answers) return Response{id, member(json, "result")};
        return malformed(id, "a message has a `method`, or an `id` and a `result` or an `error`");
    }
    const Json& method = member(json, "method");
    if (!method.is_string()) return malformed(id, "`method` must be a text");
    Json params = member(json, "params");
    if (params.is_null()) params = Json::object();
    if (!params.is_object())
        return Malformed{id, {Code::BadParameters, "`params` must be an object"}};
    if (!json.contains("id")) return Notification{method.get<std::string>(), std::move(params)};
    return Request{id, method.get<std::string>(), std::move(params)};
}

Json result_message(const Json& id, Json result) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json error_message(const Json& id, const Fault& fault) {
    Json error = {{"code", static_cast<int>(fault.code)}, {"message", fault.message}};
    if (!fault.data.is_null()) error["data"] = fault.data;
    return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}};
}

Json request_message(const Json& id, std::string_view method, Json params) {
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
}

Json notification_message(std::string_view method, Json params) {
    return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

}  // namespace husk::serve
