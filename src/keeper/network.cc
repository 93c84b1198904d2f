#include "network.h"

#include <linux/fcntl.h>

#include "sys.h"

namespace network {

constexpr int internet = 2;  // AF_INET

namespace {

// An ifreq with an address, or with flags.
struct Request {
    char name[16];
    union {
        short flags;
        struct {
            uint16_t family;
            uint16_t port;
            unsigned char address[4];
        } as_address;
        char all[24];
    };
};

long add_address(int fd, uint32_t address) {
    constexpr unsigned long set_address = 0x8916;  // SIOCSIFADDR
    constexpr unsigned long set_netmask = 0x891c;  // SIOCSIFNETMASK
    Request request{"lo:1", {}};
    request.as_address.family = internet;
    for (unsigned i = 0; i < 4; ++i)
        request.as_address.address[i] = static_cast<unsigned char>(address >> (24 - 8 * i));
    const long added = sys::ioctl(fd, set_address, &request);
    if (added < 0) return added;
    for (unsigned char& byte : request.as_address.address) byte = 0xff;
    return sys::ioctl(fd, set_netmask, &request);
}

}  // namespace

long raise_loopback(uint32_t address) {
    constexpr unsigned long set_flags = 0x8914;  // SIOCSIFFLAGS
    constexpr short up_and_running = 0x41;
    const long opened = sys::socket(internet, datagram | O_CLOEXEC, 0);
    if (opened < 0) return opened;
    const int fd = static_cast<int>(opened);
    Request request{"lo", {up_and_running}};
    long result = sys::ioctl(fd, set_flags, &request);
    if (result == 0 && address != 0) result = add_address(fd, address);
    sys::close(fd);
    return result;
}

long bind_to_loopback(int type, uint64_t port) {
    const long fd = sys::socket(internet, type | O_CLOEXEC, 0);
    if (fd < 0) return fd;
    struct {
        uint16_t family;
        unsigned char port[2];
        unsigned char address[4];
        char rest[8];
    } here{internet,
           {static_cast<unsigned char>(port >> 8), static_cast<unsigned char>(port)},
           {127, 0, 0, 1},
           {}};
    const long result = sys::bind(static_cast<int>(fd), &here, sizeof here);
    if (result == 0) return fd;
    sys::close(static_cast<int>(fd));
    return result;
}

}  // namespace network
