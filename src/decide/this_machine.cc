#include "decide/this_machine.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

// One side of :: in an IPv6 address, or all of one without ::, as groups of two bytes.
std::optional<std::vector<uint64_t>> groups_of(std::string_view text) {
    constexpr int bits = 16;
    constexpr size_t longest = 4;
    constexpr int hexadecimal = 16;
    std::vector<uint64_t> groups;
    while (!text.empty()) {
        const size_t end = std::min(text.find(':'), text.size());
        const std::string_view part = text.substr(0, end);
        const bool is_last = end == text.size();
        if (is_last && part.contains('.')) {
            const auto address = v4_address(part);
            if (!address || std::ranges::count(part, '.') != 3) return std::nullopt;
            groups.push_back(*address >> bits);
            groups.push_back(*address & 0xffff);
            return groups;
        }
        uint64_t group = 0;
        const auto [stop, error] =
            std::from_chars(part.data(), part.data() + part.size(), group, hexadecimal);
        const bool is_all = error == std::errc() && stop == part.data() + part.size();
        if (!is_all || part.size() > longest) return std::nullopt;
        groups.push_back(group);
        if (is_last) return groups;
        text.remove_prefix(end + 1);
        if (text.empty()) return std::nullopt;  // 1:
    }
    return groups;
}

// As inet_pton reads it. The zone behind % names an interface of this machine.
std::optional<std::vector<uint64_t>> v6_address(std::string_view text) {
    constexpr size_t all = 8;
    text = text.substr(0, text.find('%'));
    const size_t gap = text.find("::");
    auto groups = groups_of(text.substr(0, gap));
    if (!groups) return std::nullopt;
    if (gap == std::string_view::npos) return groups->size() == all ? groups : std::nullopt;
    const bool ends_in_v4 = text.substr(0, gap).contains('.');
    const auto rest = groups_of(text.substr(gap + 2));
    if (!rest || ends_in_v4 || groups->size() + rest->size() >= all) return std::nullopt;
    groups->resize(all - rest->size());
    groups->insert(groups->end(), rest->begin(), rest->end());
    return groups;
}

bool is_loopback(uint64_t v4_address) { return v4_address >> 24 == loopback; }

// ::1, ::ffff:127.0.0.1 and their long forms.
bool is_v6_here(std::string_view text) {
    constexpr size_t v4_begin = 6;
    constexpr uint64_t mapped = 0xffff;
    const auto address = v6_address(text);
    if (!address) return false;
    const uint64_t last = (*address)[v4_begin] << 16 | (*address)[v4_begin + 1];
    const auto start = std::span(*address).first(v4_begin);
    const bool starts_with_zeros =
        std::ranges::count(start.first(v4_begin - 1), uint64_t{0}) == v4_begin - 1;
    if (!starts_with_zeros) return false;
    return start.back() == mapped ? is_loopback(last) : start.back() == 0 && last == 1;
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
    if (host.starts_with('[') && host.ends_with(']'))
        return is_v6_here(host.substr(1, host.size() - 2));
    if (is_one_of(host, "localhost host.docker.internal")) return true;
    if (host.ends_with(".localhost")) return true;
    const auto address = v4_address(host);
    return address && (is_loopback(*address) || *address == 0);
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
    if (is_v6_here(host)) return true;
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
