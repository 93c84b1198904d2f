// Sending the mark to somebody who listens on the network, and being reachable from there.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip_icmp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

constexpr int mptcp = 262;
constexpr int udplite = 136;

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;
    int family = AF_INET;
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

Address address_of(const std::string& host, const std::string& port) {
    Address result;
    const auto net_port = htons(static_cast<uint16_t>(number(port)));
    if (host.find(':') != std::string::npos) {
        auto* six = reinterpret_cast<sockaddr_in6*>(&result.storage);
        six->sin6_family = AF_INET6;
        six->sin6_port = net_port;
        ::inet_pton(AF_INET6, host.c_str(), &six->sin6_addr);
        result.size = sizeof(sockaddr_in6);
        result.family = AF_INET6;
        return result;
    }
    auto* four = reinterpret_cast<sockaddr_in*>(&result.storage);
    four->sin_family = AF_INET;
    four->sin_port = net_port;
    ::inet_pton(AF_INET, host.c_str(), &four->sin_addr);
    result.size = sizeof(sockaddr_in);
    return result;
}

int send_mark(int fd) {
    const std::string text = mark() + "\n";
    return ::send(fd, text.data(), text.size(), MSG_NOSIGNAL) > 0 ? done : refused("send");
}

int connected(Arguments a, int type, int protocol) {
    const Address to = address_of(a[0], a[1]);
    const int fd = ::socket(to.family, type, protocol);
    if (fd < 0) return refused_or_absent("socket");
    if (::connect(fd, to.get(), to.size) != 0) return refused("connect");
    return send_mark(fd);
}

int unconnected(Arguments a, int type, int protocol, int flags) {
    const Address to = address_of(a[0], a[1]);
    const int fd = ::socket(to.family, type, protocol);
    if (fd < 0) return refused_or_absent("socket");
    const std::string text = mark() + "\n";
    return ::sendto(fd, text.data(), text.size(), flags | MSG_NOSIGNAL, to.get(), to.size) > 0
               ? done
               : refused("sendto");
}

int tcp(Arguments a) { return connected(a, SOCK_STREAM, 0); }
int multipath(Arguments a) { return connected(a, SOCK_STREAM, mptcp); }
int sctp(Arguments a) { return connected(a, SOCK_STREAM, IPPROTO_SCTP); }
int fast_open(Arguments a) { return unconnected(a, SOCK_STREAM, 0, MSG_FASTOPEN); }
int udp(Arguments a) { return unconnected(a, SOCK_DGRAM, 0, 0); }
int udp_connected(Arguments a) { return connected(a, SOCK_DGRAM, 0); }
int udp_light(Arguments a) { return unconnected(a, SOCK_DGRAM, udplite, 0); }

int udp_message(Arguments a) {
    Address to = address_of(a[0], a[1]);
    const int fd = ::socket(to.family, SOCK_DGRAM, 0);
    if (fd < 0) return refused("socket");
    std::string text = mark() + "\n";
    iovec part{text.data(), text.size()};
    mmsghdr message{};
    message.msg_hdr.msg_name = &to.storage;
    message.msg_hdr.msg_namelen = to.size;
    message.msg_hdr.msg_iov = &part;
    message.msg_hdr.msg_iovlen = 1;
    return ::sendmmsg(fd, &message, 1, 0) == 1 ? done : refused("sendmmsg");
}

// A UDP datagram made by hand; the kernel fills in the rest of the IP header.
int raw(Arguments a) {
    const Address to = address_of(a[0], a[1]);
    const int fd = ::socket(AF_INET, SOCK_RAW, IPPROTO_UDP);
    if (fd < 0) return refused("socket");
    const std::string text = mark() + "\n";
    std::string packet(sizeof(udphdr), '\0');
    packet += text;
    udphdr header{};
    header.source = htons(9);
    header.dest = htons(static_cast<uint16_t>(number(a[1])));
    header.len = htons(static_cast<uint16_t>(packet.size()));
    std::memcpy(packet.data(), &header, sizeof header);
    return ::sendto(fd, packet.data(), packet.size(), 0, to.get(), to.size) > 0 ? done
                                                                                : refused("sendto");
}

uint16_t checksum(const std::string& bytes) {
    uint32_t sum = 0;
    for (size_t i = 0; i < bytes.size(); ++i) {
        const auto byte = static_cast<uint32_t>(static_cast<unsigned char>(bytes[i]));
        sum += i % 2 == 0 ? byte : byte << 8;
    }
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~sum);
}

int ping(Arguments a) {
    const Address to = address_of(a[0], "0");
    const int fd = ::socket(AF_INET, a[1] == "raw" ? SOCK_RAW : SOCK_DGRAM, IPPROTO_ICMP);
    if (fd < 0) return refused("socket");
    icmphdr header{};
    header.type = ICMP_ECHO;
    std::string packet(sizeof header, '\0');
    packet += mark() + "\n";
    std::memcpy(packet.data(), &header, sizeof header);
    header.checksum = checksum(packet);
    std::memcpy(packet.data(), &header, sizeof header);
    // A listener that is flooded by others may lose one.
    for (int i = 0; i < 3; ++i)
        if (::sendto(fd, packet.data(), packet.size(), 0, to.get(), to.size) < 0)
            return refused("sendto");
    return done;
}

void wait_for_a_caller(int fd) {
    pollfd wanted{fd, POLLIN, 0};
    constexpr int patience = 500;
    ::poll(&wanted, 1, patience);
}

// Waits half a second for somebody to come to this port, and gives it the mark.
int serve(Arguments a, int type) {
    const Address here = address_of(a[0], a[1]);
    const int fd = ::socket(here.family, type | SOCK_NONBLOCK, 0);
    if (fd < 0) return refused("socket");
    const int one = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (::bind(fd, here.get(), here.size) != 0) return refused("bind");
    if (type == SOCK_STREAM && ::listen(fd, 5) != 0) return refused("listen");
    wait_for_a_caller(fd);
    if (type == SOCK_STREAM) {
        const int caller = ::accept4(fd, nullptr, nullptr, SOCK_NONBLOCK);
        return caller < 0 ? refused("accept") : send_mark(caller);
    }
    char buffer[16];
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    auto* who = reinterpret_cast<sockaddr*>(&from);
    if (::recvfrom(fd, buffer, sizeof buffer, MSG_DONTWAIT, who, &size) < 0)
        return refused("recvfrom");
    const std::string text = mark() + "\n";
    return ::sendto(fd, text.data(), text.size(), 0, who, size) > 0 ? done : refused("sendto");
}

int serve_tcp(Arguments a) { return serve(a, SOCK_STREAM); }
int serve_udp(Arguments a) { return serve(a, SOCK_DGRAM); }

constexpr Verb verbs[] = {
    {"tcp", tcp},
    {"mptcp", multipath},
    {"sctp", sctp},
    {"fast-open", fast_open},
    {"udp", udp},
    {"udp-connected", udp_connected},
    {"udp-light", udp_light},
    {"udp-message", udp_message},
    {"raw-udp", raw},
    {"ping", ping},
    {"serve-tcp", serve_tcp},
    {"serve-udp", serve_udp},
};

}  // namespace

std::span<const Verb> socket_verbs() { return verbs; }

}  // namespace probe
