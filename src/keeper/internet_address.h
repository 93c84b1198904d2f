// Addresses of the internet, as a call gives them to the kernel.
#pragma once

#include <stdint.h>

namespace internet_address {

struct Address {
    uint16_t family;
    unsigned char port[2];
    unsigned char v4[4];  // for IPv6 the flow
    unsigned char v6[16];
};

inline bool is_here(const unsigned char* v4) {
    return v4[0] == 127 || (v4[0] | v4[1] | v4[2] | v4[3]) == 0;
}

// Only the loopback is in reach, and the address 0 means it.
inline bool is_in_reach(const Address& address) {
    if (address.family == 2) return is_here(address.v4);
    bool zeros = true;
    for (int i = 0; i < 10; ++i) zeros = zeros && address.v6[i] == 0;
    if (!zeros) return false;
    const unsigned char* last = address.v6 + 12;
    if (address.v6[10] == 0xff && address.v6[11] == 0xff) return is_here(last);
    return address.v6[10] == 0 && address.v6[11] == 0 && (last[0] | last[1] | last[2]) == 0 &&
           last[3] <= 1;
}

inline bool is_internet(const Address& address, uint64_t size) {
    return (address.family == 2 && size >= 8) || (address.family == 10 && size >= 24);
}

// Whether it stands for a group of hosts: the loopback can be one.
inline bool is_group(const Address& address) {
    constexpr unsigned char groups = 0xe0;  // 224.0.0.0/4
    return address.family == 2 ? (address.v4[0] & 0xf0U) == groups : address.v6[0] == 0xff;
}

// Of the session's own resolver, if it is in reach.
inline bool is_resolver(const Address& address) {
    return address.port[0] == 0 && address.port[1] == 53;
}

}  // namespace internet_address
