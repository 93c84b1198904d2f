#include "request/network_hosts.h"

#include <algorithm>
#include <optional>

namespace husk::config {
namespace {

struct Entry {
    bool below = false;     // *.name
    std::string_view name;  // lower case, of letters, digits, dots and dashes
    std::string_view port;  // empty: the usual ones; *: any
};

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

// Addresses are no names: 10.0.0.1 is not below 0.1.
bool is_name(std::string_view text) {
    if (text.empty() || text.front() == '.' || text.back() == '.') return false;
    if (text.contains("..") || !std::ranges::all_of(text, is_plain)) return false;
    const char top = text[text.rfind('.') + 1];
    return top >= 'a' && top <= 'z';
}

std::optional<Entry> plain_entry(std::string_view text) {
    Entry entry;
    const size_t colon = text.find(':');
    entry.name = text.substr(0, colon);
    if (colon != text.npos) {
        entry.port = text.substr(colon + 1);
        const bool number = !entry.port.empty() && std::ranges::all_of(entry.port, [](char c) {
            return c >= '0' && c <= '9';
        });
        if (entry.port != "*" && !number) return std::nullopt;
    }
    entry.below = entry.name.starts_with("*.");
    if (entry.below) entry.name.remove_prefix(2);
    if (!is_name(entry.name)) return std::nullopt;
    return entry;
}

bool covers_port(std::string_view wide, std::string_view narrow) {
    return wide == narrow || wide == "*" || (wide.empty() && (narrow == "80" || narrow == "443"));
}

bool covers_name(const Entry& wide, const Entry& narrow) {
    if (wide.name == narrow.name) return wide.below == narrow.below;
    return wide.below && narrow.name.ends_with(wide.name) &&
           narrow.name[narrow.name.size() - wide.name.size() - 1] == '.';
}

}  // namespace

bool covers(std::string_view wide, std::string_view narrow) {
    if (wide == narrow) return true;
    const auto one = plain_entry(wide);
    const auto other = plain_entry(narrow);
    return one && other && covers_port(one->port, other->port) && covers_name(*one, *other);
}

std::string cannot_be_kept(const Network& network, Mode mode) {
    using enum Network::Kind;
    if (mode == Mode::Open && network.kind != Open)
        return "the mode open has no walls to keep that; take the mode workspace, or the network "
               "open";
    if (mode == Mode::ReadOnly && network.kind != None)
        return "the mode read-only has no network; take the mode workspace, or the network none";
    return "";
}

}  // namespace husk::config
