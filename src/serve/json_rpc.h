// JSON-RPC 2.0, as MCP uses it: what came in, and the messages that go out.
#pragma once

#include <cstddef>
#include <expected>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "request/schema.h"

namespace husk::serve {

using Json = nlohmann::ordered_json;

enum class Code {
    NotJson = -32700,
    NotARequest = -32600,
    NoSuchMethod = -32601,
    BadParameters = -32602,
    Internal = -32603,
    Busy = -32000,
    NoSuchResource = -32002,     // in the era of connections
    WrongHeader = -32020,        // of HTTP
    MissingCapability = -32021,  // of the client
    UnsupportedVersion = -32022,
};

struct Fault {
    Code code;
    std::string message;
    Json data = nullptr;
};

struct Request {
    Json id;  // a text or a number
    std::string method;
    Json params;  // an object
};
struct Notification {
    std::string method;
    Json params;
};
struct Response {
    Json id;
    Json result;  // null when it was an error
};
struct Malformed {
    Json id;  // null where it cannot be known
    Fault fault;
};
using Message = std::variant<Request, Notification, Response, Malformed>;

// A text as a value. Bounded in depth, so that nothing that walks it runs out of stack, and in the
// members of each object.
std::expected<Json, Fault> parse_message(std::string_view text);

Message read_message(const Json& json);

Json result_message(const Json& id, Json result);
Json error_message(const Json& id, const Fault& fault);
Json request_message(const Json& id, std::string_view method, Json params);
Json notification_message(std::string_view method, Json params);

// Only says that something goes on: for a reader who is behind, the next one will do.
bool may_be_dropped(const Json& message);

using schema::member;

}  // namespace husk::serve
