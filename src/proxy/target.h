// Where a request wants to go. It is read once: what is compared with the allow list is what
// is resolved and connected to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/address.h"

namespace husk::proxy {

struct Target {
    std::string host;  // lower case, without a trailing dot; an address as to_text() has it
    std::optional<Address> address;  // the host is an address, not a name
    uint16_t port = 0;
    friend bool operator==(const Target&, const Target&) = default;
};

// A name of letters, digits, "-", "_" and dots in lower case without one trailing dot, or nothing.
// A name whose last label is a number is refused: somewhere it would be read as an address.
std::optional<std::string> parse_name(std::string_view text);
std::optional<uint16_t> parse_port(std::string_view text);

// "host:port", or "host" if there is a default port; IPv6 addresses in brackets.
std::optional<Target> parse_target(std::string_view authority,
                                   std::optional<uint16_t> port_if_none);

// "host:port", as it is parsed.
std::string to_text(const Target& target);

// "host" with brackets where it needs them.
std::string host_text(const Target& target);

}  // namespace husk::proxy
