#include "proxy/target.h"

#include <algorithm>

namespace husk::proxy {
namespace {

constexpr size_t longest_name = 253;
constexpr size_t longest_label = 63;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || is_digit(c) || c == '-' || c == '_';
}
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool is_label(std::string_view text) {
    return !text.empty() && text.size() <= longest_label &&
           std::ranges::all_of(text, is_name_character);
}

// "1", "0177" and "0x7f" are numbers to inet_aton, and so to many programs.
bool is_number(std::string_view label) {
    if (label.starts_with("0x"))
        return label.find_first_not_of("0123456789abcdef", 2) == label.npos;
    return std::ranges::all_of(label, is_digit);
}

struct Parts {
    std::string_view host;
    std::optional<std::string_view> port;
    bool bracketed = false;
};

std::optional<Parts> split(std::string_view authority) {
    if (authority.starts_with('[')) {
        const size_t end = authority.find(']');
        if (end == authority.npos) return std::nullopt;
        const std::string_view rest = authority.substr(end + 1);
        Parts parts{authority.substr(1, end - 1), std::nullopt, true};
        if (rest.empty()) return parts;
        if (rest[0] != ':') return std::nullopt;
        parts.port = rest.substr(1);
        return parts;
    }
    const size_t colon = authority.find(':');
    if (colon == authority.npos) return Parts{authority, std::nullopt, false};
    return Parts{authority.substr(0, colon), authority.substr(colon + 1), false};
}

}  // namespace

std::optional<std::string> parse_name(std::string_view text) {
    if (text.ends_with('.')) text.remove_suffix(1);
    if (text.empty() || text.size() > longest_name) return std::nullopt;
    std::string name(text);
    std::ranges::transform(name, name.begin(), lower);
    std::string_view rest = name;
    for (;;) {
        const size_t dot = rest.find('.');
        const std::string_view label = rest.substr(0, dot);
        if (!is_label(label)) return std::nullopt;
        if (dot == rest.npos) return is_number(label) ? std::nullopt : std::optional(name);
        rest.remove_prefix(dot + 1);
    }
}

std::optional<uint16_t> parse_port(std::string_view text) {
    if (text.empty() || text.size() > 5 || text[0] == '0') return std::nullopt;
    unsigned value = 0;
    for (const char c : text) {
        if (!is_digit(c)) return std::nullopt;
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    if (value > 65535) return std::nullopt;
    return static_cast<uint16_t>(value);
}

std::optional<Target> parse_target(std::string_view authority,
                                   std::optional<uint16_t> port_if_none) {
    const auto parts = split(authority);
    if (!parts) return std::nullopt;
    const auto port = parts->port ? parse_port(*parts->port) : port_if_none;
    if (!port) return std::nullopt;
    if (const auto address = parse_address(parts->host)) {
        // Brackets belong around IPv6 and around nothing else.
        const bool has_colon = parts->host.find(':') != std::string_view::npos;
        if (has_colon != parts->bracketed) return std::nullopt;
        return Target{.host = to_text(*address), .address = address, .port = *port};
    }
    if (parts->bracketed) return std::nullopt;
    auto name = parse_name(parts->host);
    if (!name) return std::nullopt;
    return Target{.host = *std::move(name), .address = std::nullopt, .port = *port};
}

std::string host_text(const Target& target) {
    const bool needs_brackets = target.address && !is_v4(*target.address);
    return needs_brackets ? "[" + target.host + "]" : target.host;
}

std::string to_text(const Target& target) {
    return host_text(target) + ":" + std::to_string(target.port);
}

}  // namespace husk::proxy
