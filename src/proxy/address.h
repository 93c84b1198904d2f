// An internet address as a value, and which of them a mere name may lead to.
#pragma once

#include <netinet/in.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace husk::proxy {

// IPv4 addresses are kept in their IPv6-mapped form, so that 1.2.3.4 and ::ffff:1.2.3.4 are equal.
struct Address {
    std::array<uint8_t, 16> bytes{};
    friend bool operator==(const Address&, const Address&) = default;
};

// Dotted quads with four decimal numbers, and IPv6 without brackets and zones; nothing else.
std::optional<Address> parse_address(std::string_view text);
Address v4_address(const uint8_t (&bytes)[4]);

bool is_v4(const Address& address);
bool is_loopback(const Address& address);
// Reachable from anywhere on the internet: not loopback, private, link-local, unspecified,
// multicast or reserved, not even inside an address that carries an IPv4 address.
bool is_public(const Address& address);

std::string to_text(const Address& address);
// "1.2.3.4:80" or "[::1]:80".
std::string to_text(const Address& address, uint16_t port);

struct SocketAddress {
    sockaddr_storage value{};
    socklen_t size = 0;
    const sockaddr* generic() const { return reinterpret_cast<const sockaddr*>(&value); }
};
SocketAddress socket_address(const Address& address, uint16_t port);

}  // namespace husk::proxy
