// Sockets of rarer families: packets, netlink, and those that are only opened.
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

// A kind that no protocol of this machine listens for.
constexpr uint16_t experimental = 0x88b5;

int send_frame(const std::string& bytes, int type) {
    const int fd = ::socket(AF_PACKET, type, htons(experimental));
    if (fd < 0) return refused("socket");
    sockaddr_ll to{};
    to.sll_family = AF_PACKET;
    to.sll_protocol = htons(experimental);
    to.sll_ifindex = static_cast<int>(::if_nametoindex("lo"));
    to.sll_halen = ETH_ALEN;
    const auto* address = reinterpret_cast<const sockaddr*>(&to);
    return ::sendto(fd, bytes.data(), bytes.size(), 0, address, sizeof to) > 0 ? done
                                                                               : refused("sendto");
}

int frame(Arguments) {
    ethhdr header{};
    header.h_proto = htons(experimental);
    std::string bytes(sizeof header, '\0');
    std::memcpy(bytes.data(), &header, sizeof header);
    return send_frame(bytes + mark(), SOCK_RAW);
}

int cooked_frame(Arguments) { return send_frame(mark(), SOCK_DGRAM); }

// False after the last message.
bool show_ports(std::string_view messages) {
    while (messages.size() >= sizeof(nlmsghdr)) {
        nlmsghdr header{};
        inet_diag_msg found{};
        std::memcpy(&header, messages.data(), sizeof header);
        if (header.nlmsg_type == NLMSG_DONE || header.nlmsg_type == NLMSG_ERROR) return false;
        std::memcpy(&found, messages.data() + sizeof header, sizeof found);
        std::printf("port:%d;\n", ntohs(found.id.idiag_sport));
        messages.remove_prefix(std::min<size_t>(messages.size(), (header.nlmsg_len + 3U) & ~3U));
    }
    return true;
}

// Asks the kernel for every listening TCP socket, and shows their ports.
int listeners(Arguments) {
    const int fd = ::socket(AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG);
    if (fd < 0) return refused("socket");
    struct {
        nlmsghdr header;
        inet_diag_req_v2 body;
    } request{};
    request.header = {sizeof request, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP, 1, 0};
    request.body.sdiag_family = AF_INET;
    request.body.sdiag_protocol = IPPROTO_TCP;
    request.body.idiag_states = 1U << 10;  // listening
    if (::send(fd, &request, sizeof request, 0) < 0) return refused("send");
    for (;;) {
        char buffer[32768];
        const ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
        if (got <= 0) return refused("recv");
        if (!show_ports(std::string_view(buffer, static_cast<size_t>(got)))) return done;
    }
}

// To another process that has bound this number.
int netlink_message(Arguments a) {
    const int fd = ::socket(AF_NETLINK, SOCK_RAW, NETLINK_USERSOCK);
    if (fd < 0) return refused("socket");
    sockaddr_nl to{};
    to.nl_family = AF_NETLINK;
    to.nl_pid = static_cast<uint32_t>(number(a[0]));
    const std::string text = mark() + "\n";
    struct {
        nlmsghdr header;
        char text[64];
    } message{};
    message.header.nlmsg_len = sizeof message;
    std::strncpy(message.text, text.c_str(), sizeof message.text - 1);
    const auto* address = reinterpret_cast<const sockaddr*>(&to);
    return ::sendto(fd, &message, sizeof message, 0, address, sizeof to) > 0 ? done
                                                                             : refused("sendto");
}

// Gives the loopback a second name, which harms nobody.
int rename_link(Arguments) {
    const int fd = ::socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    if (fd < 0) return refused("socket");
    struct {
        nlmsghdr header;
        ifinfomsg body;
        rtattr attribute;
        char text[32];
    } request{};
    const std::string text = mark();
    request.header.nlmsg_type = RTM_SETLINK;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
    request.body.ifi_index = static_cast<int>(::if_nametoindex("lo"));
    request.attribute.rta_type = IFLA_IFALIAS;
    request.attribute.rta_len = static_cast<uint16_t>(RTA_LENGTH(text.size()));
    std::memcpy(request.text, text.data(), std::min(text.size(), sizeof request.text));
    request.header.nlmsg_len =
        static_cast<uint32_t>(NLMSG_LENGTH(sizeof request.body) + RTA_LENGTH(text.size()));
    if (::send(fd, &request, request.header.nlmsg_len, 0) < 0) return refused("send");
    struct {
        nlmsghdr header;
        nlmsgerr error;
    } answer{};
    if (::recv(fd, &answer, sizeof answer, 0) < 0) return refused("recv");
    errno = -answer.error.error;
    return errno == 0 ? done : refused("RTM_SETLINK");
}

int open_socket(Arguments a) {
    const int type = a[1] == "raw"        ? SOCK_RAW
                     : a[1] == "datagram" ? SOCK_DGRAM
                     : a[1] == "packet"   ? SOCK_SEQPACKET
                                          : SOCK_STREAM;
    const int fd = ::socket(number(a[0]), type, number(a[2]));
    return fd >= 0 ? reveal() : refused_or_absent("socket");
}

int open_pair(Arguments a) {
    int ends[2];
    return ::socketpair(number(a[0]), SOCK_STREAM, 0, ends) == 0 ? reveal()
                                                                 : refused_or_absent("socketpair");
}

constexpr Verb verbs[] = {
    {"frame", frame},
    {"cooked-frame", cooked_frame},
    {"listeners", listeners},
    {"netlink-message", netlink_message},
    {"rename-link", rename_link},
    {"socket", open_socket},
    {"socketpair", open_pair},
};

}  // namespace

std::span<const Verb> link_verbs() { return verbs; }

}  // namespace probe
