// The ways by which Copy Fail (CVE-2026-31431), Dirty Frag (CVE-2026-43284, CVE-2026-43500) and
// Fragnesia (CVE-2026-46300) reached the page cache. Nothing is written anywhere: the first call
// of each way that the kernel answers with yes is the proof.
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probe.h"

namespace probe {
namespace {

constexpr int udp_encapsulation = 100;
constexpr int in_udp = 2;
constexpr int upper_protocol = 31;

// A kernel without the protocol does not know the option.
int option_set(int fd, int level, int option, const void* value, socklen_t size) {
    if (fd < 0) return refused("socket");
    if (::setsockopt(fd, level, option, value, size) == 0) return reveal();
    return errno == ENOPROTOOPT || errno == ENOENT ? absent("setsockopt") : refused("setsockopt");
}

int packets_of_ipsec(Arguments) {
    const int value = in_udp;
    return option_set(::socket(AF_INET, SOCK_DGRAM, 0), IPPROTO_UDP, udp_encapsulation, &value,
                      sizeof value);
}

// Only a socket that is connected takes an upper protocol, so this one calls itself.
int upper_layer(Arguments a) {
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0) return refused("socket");
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    auto* address = reinterpret_cast<sockaddr*>(&here);
    if (::bind(listener, address, size) != 0 || ::listen(listener, 1) != 0 ||
        ::getsockname(listener, address, &size) != 0)
        return refused("listen");
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    if (::connect(fd, address, size) != 0) return refused("connect");
    return option_set(fd, IPPROTO_TCP, upper_protocol, a[0].data(),
                      static_cast<socklen_t>(a[0].size()));
}

int key_of_type(Arguments a) {
    constexpr int process_keyring = -2;
    const long key = ::syscall(SYS_add_key, a[0].c_str(), mark().c_str(), "x", 1, process_keyring);
    if (key < 0 && errno == ENODEV) return absent("add_key");
    return past_gate(key, "add_key", {EINVAL});
}

constexpr Verb verbs[] = {
    {"udp-encapsulation", packets_of_ipsec},
    {"upper-protocol", upper_layer},
    {"add-key-of-type", key_of_type},
};

}  // namespace

std::span<const Verb> page_cache_verbs() { return verbs; }

}  // namespace probe
