#include "network.h"

#include <linux/fcntl.h>

#include "sys.h"

namespace network {

constexpr int internet = 2;  // AF_INET

long raise_loopback() {
    constexpr unsigned long set_flags = 0x8914;  // SIOCSIFFLAGS
    constexpr short up_and_running = 0x41;
    struct {
        char name[16];
        short flags;
        char rest[22];
    } request{"lo", up_and_running, {}};
    const long fd = sys::socket(internet, datagram | O_CLOEXEC, 0);
    if (fd < 0) return fd;
    const long result = sys::ioctl(static_cast<int>(fd), set_flags, &request);
    sys::close(static_cast<int>(fd));
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
