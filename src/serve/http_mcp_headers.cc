#include "serve/http_mcp_headers.h"

#include <array>

#include "serve/methods.h"

namespace husk::serve::http {
namespace {

constexpr std::string_view version_key = "io.modelcontextprotocol/protocolVersion";

std::optional<std::string> base64_decoded(std::string_view text) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string out;
    unsigned bits = 0;
    int count = 0;
    for (const char letter : text) {
        const size_t value = letters.find(letter);
        if (value == std::string_view::npos) return std::nullopt;
        bits = bits << 6 | static_cast<unsigned>(value);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        out += static_cast<char>(bits >> count & 0xff);
    }
    return out;
}

// What the header Mcp-Name repeats; null where it is not wanted.
const Json& name_in(const Json& message) {
    static const Json none = nullptr;
    const Json& method = member(message, "method");
    const Json& params = member(message, "params");
    if (method == "tools/call" || method == "prompts/get") return member(params, "name");
    if (method == "resources/read") return member(params, "uri");
    if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel")
        return member(params, "taskId");
    return none;
}

Fault wrong(const std::string& header, const std::string& how) {
    return {Code::WrongHeader, "the header " + header + " " + how};
}

std::optional<Fault> check(const Request& request, const std::string& header, const Json& said) {
    if (!request.has_header(lower_case(header))) return wrong(header, "is missing");
    const auto value = header_value(request.header(lower_case(header)));
    if (!value) return wrong(header, "is not well-formed");
    if (!said.is_string() || said.get<std::string>() != *value)
        return wrong(header, "is not what the body says");
    return std::nullopt;
}

}  // namespace

std::optional<std::string> header_value(std::string_view text) {
    constexpr std::string_view before = "=?base64?";
    constexpr std::string_view behind = "?=";
    if (!text.starts_with(before) || !text.ends_with(behind) ||
        text.size() < before.size() + behind.size())
        return std::string(text);
    text.remove_prefix(before.size());
    text.remove_suffix(behind.size());
    return base64_decoded(text);
}

bool is_without_connections(const Request& request, const Json& message) {
    const Json& meta = member(member(message, "params"), "_meta");
    if (!member(meta, version_key).is_null()) return true;
    if (member(message, "method") == "initialize") return false;
    return member(message, "method") == "server/discover" ||
           request.header("mcp-protocol-version") >= version_without ||
           request.has_header("mcp-method");
}

std::optional<Fault> check_headers(const Request& request, const Json& message) {
    const Json& meta = member(member(message, "params"), "_meta");
    const Json& version = member(meta, version_key);
    // A body without one is told so by whoever reads it.
    if (version.is_string())
        if (auto fault = check(request, "MCP-Protocol-Version", version)) return fault;
    if (auto fault = check(request, "Mcp-Method", member(message, "method"))) return fault;
    const Json& name = name_in(message);
    if (name.is_string())
        if (auto fault = check(request, "Mcp-Name", name)) return fault;
    return std::nullopt;
}

}  // namespace husk::serve::http
