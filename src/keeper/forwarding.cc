#include "forwarding.h"

#include "sys.h"

namespace forwarding {
namespace {

constexpr unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned char loopback[4] = {127, 0, 0, 1};
constexpr unsigned port_at = 2;  // in a sockaddr of the internet
constexpr unsigned v4_at = 4;
constexpr unsigned v6_at = 8;
constexpr unsigned v4_size = 8;
constexpr unsigned v6_size = 24;

Ways known{};

bool is_same(const unsigned char* one, const unsigned char* other, unsigned size) {
    for (unsigned i = 0; i < size; ++i)
        if (one[i] != other[i]) return false;
    return true;
}

// The four bytes of an IPv4 address, also of one in the form of IPv6. ::1 is taken for 127.0.0.1.
// Null if it is another one.
const unsigned char* v4_of(const unsigned char* address, unsigned size) {
    static constexpr unsigned char loopback6[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    const unsigned family = address[0] | static_cast<unsigned>(address[1]) << 8;
    if (family == 2 && size >= v4_size) return address + v4_at;
    if (family != 10 || size < v6_size) return nullptr;
    if (is_same(address + v6_at, loopback6, sizeof loopback6)) return loopback;
    return is_same(address + v6_at, mapped, sizeof mapped) ? address + v6_at + sizeof mapped
                                                           : nullptr;
}

bool is_of_stand_ins(const unsigned char* v4) {
    uint32_t number = 0;
    for (int i = 0; i < 4; ++i) number = number << 8 | v4[i];
    return (number & mask) == network;
}

bool is_for_proxy(const unsigned char* v4, unsigned port) {
    if (is_of_stand_ins(v4)) return true;
    bool found = false;
    // The other addresses of the loopback are always the session's own.
    if (is_same(v4, loopback, sizeof loopback))
        for (unsigned i = 0; i < known.ports; ++i) found = found || known.local[i] == port;
    else if (v4[0] != loopback[0])
        for (unsigned i = 0; i < known.addresses; ++i)
            found = found || is_same(known.listed[i], v4, 4);
    return found;
}

}  // namespace

void set(const Ways& ways) {
    known = ways;
    if (known.ports > most_listed) known.ports = most_listed;
    if (known.addresses > most_listed) known.addresses = most_listed;
}

bool redirect(unsigned char* address, unsigned size, Preamble& preamble) {
    const unsigned char* v4 = known.raw == 0 ? nullptr : v4_of(address, size);
    if (v4 == nullptr) return false;
    const unsigned port = static_cast<unsigned>(address[port_at]) << 8 | address[port_at + 1];
    if (!is_for_proxy(v4, port)) return false;
    memcpy(preamble.address, v4, sizeof preamble.address);
    memcpy(preamble.port, address + port_at, sizeof preamble.port);
    const bool is_v6 = address[0] == 10;
    if (is_v6) memcpy(address + v6_at, mapped, sizeof mapped);
    memcpy(address + (is_v6 ? v6_at + sizeof mapped : v4_at), loopback, sizeof loopback);
    address[port_at] = static_cast<unsigned char>(known.raw >> 8);
    address[port_at + 1] = static_cast<unsigned char>(known.raw);
    return true;
}

bool is_listed(const unsigned char* address, unsigned size) {
    const unsigned char* v4 = known.raw == 0 ? nullptr : v4_of(address, size);
    return v4 != nullptr && v4[0] != loopback[0] && is_for_proxy(v4, 0);
}

bool is_stand_in(const unsigned char* address, unsigned size) {
    const unsigned char* v4 = known.raw == 0 ? nullptr : v4_of(address, size);
    return v4 != nullptr && is_of_stand_ins(v4);
}

}  // namespace forwarding
