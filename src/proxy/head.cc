#include "proxy/head.h"

#include <algorithm>
#include <array>
#include <vector>

namespace husk::proxy {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same_word(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower, lower);
}

constexpr bool is_alphanumeric(char c) {
    return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
}

// The tokens of RFC 9110: methods and field names.
bool is_token(std::string_view text) {
    constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        return is_alphanumeric(c) || marks.find(c) != marks.npos;
    });
}

bool is_visible(char c) { return c > ' ' && c < 0x7f; }

// Bytes of 0x80 and above are allowed in values, since they mean nothing to anybody.
bool is_value_character(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= ' ' && byte != 0x7f);
}

std::string_view trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t");
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::unexpected<Refusal> bad(std::string reason) {
    return std::unexpected(Refusal{400, std::move(reason)});
}

struct RequestLine {
    std::string_view method;
    std::string_view target;
    std::string_view version;
};

std::expected<RequestLine, Refusal> parse_line(std::string_view line) {
    const size_t first = line.find(' ');
    const size_t last = line.rfind(' ');
    if (first == line.npos || first == last)
        return bad("the request line is not: method, target, version");
    const RequestLine parts{line.substr(0, first), line.substr(first + 1, last - first - 1),
                            line.substr(last + 1)};
    if (!is_token(parts.method)) return bad("the method is not a token");
    if (parts.target.empty() || !std::ranges::all_of(parts.target, is_visible))
        return bad("the target has a space, a control character or something outside of ASCII");
    if (parts.version != "HTTP/1.1" && parts.version != "HTTP/1.0")
        return std::unexpected(Refusal{505, "the version is not HTTP/1.1 or HTTP/1.0"});
    return parts;
}

struct Field {
    std::string_view name;
    std::string_view value;
};

std::expected<Field, Refusal> parse_field(std::string_view line) {
    if (line.starts_with(' ') || line.starts_with('\t'))
        return bad("a header field is folded over several lines");
    const size_t colon = line.find(':');
    if (colon == line.npos || !is_token(line.substr(0, colon)))
        return bad("a line of the header is not: name, colon, value");
    const Field field{line.substr(0, colon), trimmed(line.substr(colon + 1))};
    if (!std::ranges::all_of(field.value, is_value_character))
        return bad("a header field has a control character");
    return field;
}

// The lines between the request line and the empty one.
std::expected<std::vector<Field>, Refusal> parse_fields(std::string_view text) {
    std::vector<Field> fields;
    while (!text.starts_with("\r\n")) {
        const size_t end = text.find("\r\n");
        auto field = parse_field(text.substr(0, end));
        if (!field) return std::unexpected(std::move(field).error());
        fields.push_back(*field);
        text.remove_prefix(end + 2);
    }
    return fields;
}

// The only field of that name; two of them are refused.
std::expected<std::optional<std::string_view>, Refusal> only(const std::vector<Field>& fields,
                                                             std::string_view name) {
    std::optional<std::string_view> value;
    for (const Field& field : fields) {
        if (!same_word(field.name, name)) continue;
        if (value) return bad("there is more than one " + std::string(name));
        value = field.value;
    }
    return value;
}

std::optional<uint64_t> parse_length(std::string_view text) {
    if (text.empty() || text.size() > 18) return std::nullopt;
    uint64_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + static_cast<uint64_t>(c - '0');
    }
    return value;
}

std::expected<void, Refusal> find_framing(const std::vector<Field>& fields,
                                          std::string_view version, Request& request) {
    const auto length = only(fields, "Content-Length");
    if (!length) return std::unexpected(length.error());
    const auto encoding = only(fields, "Transfer-Encoding");
    if (!encoding) return std::unexpected(encoding.error());
    if (*length && *encoding) return bad("there are Content-Length and Transfer-Encoding");
    if (*encoding) {
        if (version == "HTTP/1.0") return bad("HTTP/1.0 has no Transfer-Encoding");
        if (!same_word(**encoding, "chunked")) return bad("Transfer-Encoding is not chunked");
        request.framing = Framing::Chunked;
    }
    if (*length) {
        const auto size = parse_length(**length);
        if (!size) return bad("Content-Length is not a number");
        if (*size > 0) request.framing = Framing::Length;
        request.length = *size;
    }
    return {};
}

// Between us and one neighbour only.
bool is_ours_alone(std::string_view name) {
    constexpr std::array<std::string_view, 9> names = {
        "Host",    "Connection",          "Proxy-Connection",   "Keep-Alive",    "TE",
        "Upgrade", "Proxy-Authorization", "Proxy-Authenticate", "HTTP2-Settings"};
    return std::ranges::any_of(names, [&](std::string_view own) { return same_word(own, name); });
}

std::string forward(const RequestLine& line, std::string_view path, const Target& target,
                    const std::vector<Field>& fields) {
    std::string head(line.method);
    head += path.starts_with('/') ? " " : " /";
    head += path;
    head += " ";
    head += line.version;
    head += "\r\nHost: " + (target.port == 80 ? host_text(target) : to_text(target)) + "\r\n";
    for (const Field& field : fields) {
        if (is_ours_alone(field.name)) continue;
        head += field.name;
        head += ": ";
        head += field.value;
        head += "\r\n";
    }
    return head + "Connection: close\r\n\r\n";
}

std::expected<Request, Refusal> parse_tunnel(const RequestLine& line,
                                             const std::vector<Field>& fields) {
    Request request;
    request.kind = Request::Kind::Tunnel;
    auto target = parse_target(line.target, std::nullopt);
    if (!target) return bad("CONNECT wants a host name or address, a colon and a port");
    request.target = *std::move(target);
    const auto host = only(fields, "Host");
    if (!host) return std::unexpected(host.error());
    // Some clients leave the port out, and some the whole field.
    const auto named = *host ? parse_target(**host, request.target.port) : request.target;
    if (named != request.target) return bad("Host and the target of CONNECT differ");
    if (const auto framed = find_framing(fields, line.version, request); !framed)
        return std::unexpected(framed.error());
    if (request.framing != Framing::None) return bad("CONNECT has no body");
    return request;
}

std::expected<Request, Refusal> parse_plain(const RequestLine& line,
                                            const std::vector<Field>& fields) {
    constexpr std::string_view scheme = "http://";
    constexpr uint16_t port = 80;
    if (!same_word(line.target.substr(0, scheme.size()), scheme))
        return bad("this is a proxy: it takes CONNECT host:port, and http:// with a host");
    const std::string_view rest = line.target.substr(scheme.size());
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    const std::string_view path = rest.substr(authority.size());
    if (path.find('#') != path.npos) return bad("the target has a fragment");
    Request request;
    request.kind = Request::Kind::Plain;
    auto target = parse_target(authority, port);
    if (!target)
        return bad("the target's host is not a host name or address, with or without port");
    request.target = *std::move(target);
    const auto host = only(fields, "Host");
    if (!host) return std::unexpected(host.error());
    if (!*host && line.version != "HTTP/1.0") return bad("Host is missing");
    if (*host && parse_target(**host, port) != request.target)
        return bad("Host and the host of the target differ");
    if (const auto framed = find_framing(fields, line.version, request); !framed)
        return std::unexpected(framed.error());
    request.forwarded = forward(line, path, request.target, fields);
    return request;
}

}  // namespace

std::expected<std::optional<size_t>, Refusal> head_size(std::string_view bytes, size_t seen) {
    // A line end or the empty line may have been cut in two.
    for (size_t at = seen < 4 ? 0 : seen - 4; at < bytes.size(); ++at) {
        const char c = bytes[at];
        if (c == '\0') return bad("the head has a NUL");
        if (c == '\n' && (at == 0 || bytes[at - 1] != '\r')) return bad("a line ends without CR");
        if (c == '\r' && at + 1 < bytes.size() && bytes[at + 1] != '\n')
            return bad("there is a CR inside a line");
        if (c == '\n' && at >= 3 && bytes.substr(at - 3, 4) == "\r\n\r\n") {
            if (at + 1 > longest_head) break;
            return at + 1;
        }
    }
    if (bytes.size() >= longest_head)
        return std::unexpected(Refusal{431, "the head is longer than 64 KiB"});
    return std::nullopt;
}

std::expected<Request, Refusal> parse_request(std::string_view head) {
    const size_t end = head.find("\r\n");
    if (end == head.npos || !head.ends_with("\r\n\r\n")) return bad("the head has no end");
    const auto line = parse_line(head.substr(0, end));
    if (!line) return std::unexpected(line.error());
    const auto fields = parse_fields(head.substr(end + 2));
    if (!fields) return std::unexpected(fields.error());
    return line->method == "CONNECT" ? parse_tunnel(*line, *fields) : parse_plain(*line, *fields);
}

}  // namespace husk::proxy
