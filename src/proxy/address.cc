#include "proxy/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace husk::proxy {
namespace {

constexpr uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct Range {
    std::array<uint8_t, 16> first{};
    unsigned bits = 0;
};

// The registries of special addresses (RFC 6890 and its successors), without what is global.
constexpr Range closed_v4[] = {
    {{0}, 8},             // this network
    {{10}, 8},            // private
    {{100, 64}, 10},      // carrier
    {{127}, 8},           // loopback
    {{169, 254}, 16},     // link-local, with the clouds' metadata
    {{172, 16}, 12},      // private
    {{192, 0, 0}, 24},    // protocols
    {{192, 0, 2}, 24},    // documentation
    {{192, 88, 99}, 24},  // 6to4 relays
    {{192, 168}, 16},     // private
    {{198, 18}, 15},      // benchmarks
    {{198, 51, 100}, 24},
    {{203, 0, 113}, 24},
    {{224}, 4},  // multicast
    {{240}, 4},  // reserved, and broadcast
};

constexpr Range global_v6 = {{0x20}, 3};
constexpr Range closed_v6[] = {
    {{0x20, 0x01}, 23},              // protocols, with Teredo, which hides an IPv4 address
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x3f, 0xff}, 20},              // documentation
};
// These carry an IPv4 address, and a gateway may take the packet there.
constexpr Range six_to_four = {{0x20, 0x02}, 16};
constexpr Range nat64 = {{0x00, 0x64, 0xff, 0x9b}, 96};

bool lies_in(std::span<const uint8_t> bytes, const Range& range) {
    const size_t whole = range.bits / 8;
    if (!std::equal(range.first.begin(), range.first.begin() + static_cast<ptrdiff_t>(whole),
                    bytes.begin()))
        return false;
    const unsigned rest = range.bits % 8;
    if (rest == 0) return true;
    return (bytes[whole] >> (8 - rest)) == (range.first[whole] >> (8 - rest));
}

bool is_public_v4(std::span<const uint8_t> bytes) {
    return std::ranges::none_of(closed_v4,
                                [&](const Range& range) { return lies_in(bytes, range); });
}

std::span<const uint8_t> last_four(const Address& address) {
    return std::span(address.bytes).subspan(12);
}

}  // namespace

std::optional<Address> parse_address(std::string_view text) {
    char copy[INET6_ADDRSTRLEN + 1] = {};
    if (text.size() >= sizeof copy || text.find('\0') != text.npos) return std::nullopt;
    text.copy(copy, text.size());
    uint8_t v4[4];
    if (::inet_pton(AF_INET, copy, v4) == 1) return v4_address(v4);
    Address address;
    if (::inet_pton(AF_INET6, copy, address.bytes.data()) == 1) return address;
    return std::nullopt;
}

Address v4_address(const uint8_t (&bytes)[4]) {
    Address address;
    std::ranges::copy(mapped, address.bytes.begin());
    std::ranges::copy(bytes, address.bytes.begin() + 12);
    return address;
}

bool is_v4(const Address& address) {
    return std::ranges::equal(mapped, std::span(address.bytes).first(12));
}

bool is_loopback(const Address& address) {
    if (is_v4(address)) return address.bytes[12] == 127;
    return std::ranges::count(address.bytes, 0) == 15 && address.bytes[15] == 1;
}

bool is_public(const Address& address) {
    if (is_v4(address) || lies_in(address.bytes, nat64)) return is_public_v4(last_four(address));
    if (lies_in(address.bytes, six_to_four))
        return is_public_v4(std::span(address.bytes).subspan(2, 4));
    return lies_in(address.bytes, global_v6) &&
           std::ranges::none_of(closed_v6,
                                [&](const Range& range) { return lies_in(address.bytes, range); });
}

std::string to_text(const Address& address) {
    char text[INET6_ADDRSTRLEN] = {};
    if (is_v4(address))
        ::inet_ntop(AF_INET, &address.bytes[12], text, sizeof text);
    else
        ::inet_ntop(AF_INET6, address.bytes.data(), text, sizeof text);
    return text;
}

std::string to_text(const Address& address, uint16_t port) {
    const std::string end = ":" + std::to_string(port);
    return is_v4(address) ? to_text(address) + end : "[" + to_text(address) + "]" + end;
}

SocketAddress socket_address(const Address& address, uint16_t port) {
    SocketAddress made;
    if (is_v4(address)) {
        sockaddr_in v4{};
        v4.sin_family = AF_INET;
        v4.sin_port = htons(port);
        std::memcpy(&v4.sin_addr, &address.bytes[12], sizeof v4.sin_addr);
        std::memcpy(&made.value, &v4, sizeof v4);
        made.size = sizeof v4;
    } else {
        sockaddr_in6 v6{};
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(port);
        std::memcpy(&v6.sin6_addr, address.bytes.data(), sizeof v6.sin6_addr);
        std::memcpy(&made.value, &v6, sizeof v6);
        made.size = sizeof v6;
    }
    return made;
}

}  // namespace husk::proxy
