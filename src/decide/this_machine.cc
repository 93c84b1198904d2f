#include "decide/this_machine.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "base/names.h"
#include "parse/letters.h"

namespace husk::decide {
namespace {

constexpr uint64_t loopback = 127;  // the first of four bytes

// One part of an IPv4 address: decimal, octal with a 0 in front, or hexadecimal with 0x.
std::optional<uint64_t> part_of_address(std::string_view text) {
    int base = 10;
    if (text.starts_with("0x")) {
        base = 16;
        text.remove_prefix(2);
    } else if (text.size() > 1 && text.starts_with('0')) {
        base = 8;
    }
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    const bool all = error == std::errc() && end == text.data() + text.size();
    return all ? std::optional(value) : std::nullopt;
}

// As inet_aton reads it: up to four parts, of which the last fills all bytes that are left.
std::optional<uint64_t> v4_address(std::string_view text) {
    constexpr size_t most_parts = 4;
    constexpr int bits = 8;
    uint64_t address = 0;
    for (size_t parts = 1; parts <= most_parts; ++parts) {
        const size_t dot = text.find('.');
        const auto value = part_of_address(text.substr(0, dot));
        if (!value) return std::nullopt;
        if (dot != std::string_view::npos) {
            if (*value >> bits != 0) return std::nullopt;
            address = address << bits | *value;
            text.remove_prefix(dot + 1);
            continue;
        }
        const int left = static_cast<int>(most_parts + 1 - parts) * bits;
        if (*value >> left != 0) return std::nullopt;
        return address << left | *value;
    }
    return std::nullopt;
}

// What a URL starts with: letters, digits, +, - and . in front of ://.
std::string_view without_scheme(std::string_view url) {
    const size_t end = url.find("://");
    const bool has_scheme =
        end != std::string_view::npos && std::ranges::all_of(url.substr(0, end), [](char letter) {
            return parse::is_name_letter(letter) || std::string_view("+-.").contains(letter);
        });
    return has_scheme ? url.substr(end + 3) : url;
}

bool is_host_here(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    if (is_one_of(host, "localhost [::1] ::1 host.docker.internal")) return true;
    if (host.ends_with(".localhost")) return true;
    const auto address = v4_address(host);
    return address && (*address >> 24 == loopback || *address == 0);
}

// The text as far as it is known. An unquoted [::1] is a glob for bash, and stays as it is where
// no file has such a name.
std::string known_text(const parse::Word& word) {
    using enum parse::Piece::Kind;
    std::string text;
    for (const parse::Piece& piece : word.pieces) {
        if (piece.kind != Text && piece.kind != Glob) break;
        text += piece.text;
    }
    return text;
}

bool is_all_known(const parse::Word& word) {
    using enum parse::Piece::Kind;
    return std::ranges::all_of(word.pieces, [](const parse::Piece& piece) {
        return piece.kind == Text || piece.kind == Glob;
    });
}

}  // namespace

bool is_this_machine(std::string_view host_or_url) {
    const std::string url = parse::lowered(host_or_url);
    std::string_view authority = without_scheme(url);
    authority = authority.substr(0, authority.find_first_of("/?#"));
    // Programs disagree about what this is the end of.
    if (authority.contains('\\')) return false;
    std::string_view host = authority.substr(authority.rfind('@') + 1);
    if (host == "::1") return true;
    const bool in_brackets = host.starts_with('[');
    const size_t port = host.find(':', in_brackets ? std::min(host.find(']'), host.size()) : 0);
    return is_host_here(host.substr(0, port));
}

bool is_this_machine(const parse::Word& host_or_url) {
    const std::string text = known_text(host_or_url);
    if (is_all_known(host_or_url)) return is_this_machine(text);
    // The host has to end before the part that is not known: localhost:$port, http://localhost/$x.
    const std::string_view known = without_scheme(text);
    return known.find_first_of("/?#:") != std::string_view::npos && is_this_machine(text);
}

}  // namespace husk::decide
