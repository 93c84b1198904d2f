#include "proxy/allow_list.h"

#include <algorithm>

namespace husk::proxy {
namespace {

const std::vector<uint16_t> usual_ports = {80, 443};

// What is in a message shall not do anything to the terminal that shows it.
std::string printable(std::string_view text) {
    std::string shown(text.substr(0, 100));
    std::ranges::replace_if(shown, [](char c) { return c < ' ' || c > '~'; }, '?');
    return shown;
}

// The host, and the ports behind it: {80, 443} for none, empty for "*".
struct Parts {
    std::string_view host;
    std::vector<uint16_t> ports;
};

std::optional<Parts> split(std::string_view line) {
    // An IPv6 address may stand without brackets where there is no port.
    if (std::ranges::count(line, ':') > 1 && !line.starts_with('['))
        return Parts{line, usual_ports};
    const size_t bracket = line.rfind(']');
    const size_t colon = line.find(':', bracket == line.npos ? 0 : bracket);
    Parts parts{line.substr(0, colon), usual_ports};
    if (colon != line.npos) {
        const std::string_view port = line.substr(colon + 1);
        const auto number = parse_port(port);
        if (!number && port != "*") return std::nullopt;
        parts.ports.clear();
        if (number) parts.ports.push_back(*number);
    }
    if (!parts.host.starts_with('[')) return parts;
    // Only IPv6 has brackets.
    if (!parts.host.ends_with(']') || parts.host.find(':') == parts.host.npos) return std::nullopt;
    parts.host = parts.host.substr(1, parts.host.size() - 2);
    return parts;
}

}  // namespace

Result<AllowList> AllowList::parse(std::string_view text) {
    AllowList list;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.empty()) continue;
        auto entry = parse_entry(line);
        if (!entry)
            return failure("network", 0,
                           "not a host, host:port, *.host or host:*: " + printable(line));
        list.entries_.push_back(*std::move(entry));
    }
    return list;
}

std::optional<AllowList::Entry> AllowList::parse_entry(std::string_view line) {
    auto parts = split(line);
    if (!parts) return std::nullopt;
    Entry entry;
    entry.ports = std::move(parts->ports);
    entry.address = parse_address(parts->host);
    if (entry.address) return entry;
    if (parts->host.starts_with("*.")) {
        entry.which = Which::Below;
        parts->host.remove_prefix(2);
    }
    auto name = parse_name(parts->host);
    if (!name) return std::nullopt;
    entry.name = *std::move(name);
    return entry;
}

bool AllowList::opens(const Entry& entry, const Target& target) {
    if (!entry.ports.empty() && std::ranges::find(entry.ports, target.port) == entry.ports.end())
        return false;
    if (entry.address || target.address) return entry.address == target.address;
    if (entry.which == Which::Itself) return target.host == entry.name;
    return target.host.ends_with("." + entry.name);
}

bool AllowList::allows(const Target& target) const {
    return std::ranges::any_of(entries_, [&](const Entry& entry) { return opens(entry, target); });
}

bool AllowList::names(std::string_view name) const {
    return std::ranges::any_of(entries_, [&](const Entry& entry) {
        if (entry.address) return false;
        const uint16_t port = entry.ports.empty() ? 0 : entry.ports.front();
        return opens(entry, {.host = std::string(name), .address = std::nullopt, .port = port});
    });
}

std::vector<std::string> AllowList::listed_names() const {
    std::vector<std::string> names;
    for (const Entry& entry : entries_)
        if (!entry.address && entry.which == Which::Itself && entry.name != "localhost")
            names.push_back(entry.name);
    return names;
}

std::vector<Address> AllowList::listed_addresses() const {
    std::vector<Address> addresses;
    for (const Entry& entry : entries_)
        if (entry.address) addresses.push_back(*entry.address);
    return addresses;
}

std::vector<uint16_t> AllowList::local_ports() const {
    std::vector<uint16_t> ports;
    for (const Entry& entry : entries_)
        if (entry.which == Which::Itself && entry.name == "localhost")
            ports.insert(ports.end(), entry.ports.begin(), entry.ports.end());
    return ports;
}

bool AllowList::allows(const Target& target, const Address& address) const {
    if (!allows(target)) return false;
    if (target.address) return *target.address == address;
    if (is_public(address)) return true;
    // Here the entry was "localhost" itself, since nothing else matches a name without a dot.
    if (target.host == "localhost" && is_loopback(address)) return true;
    return allows({.host = to_text(address), .address = address, .port = target.port});
}

}  // namespace husk::proxy
