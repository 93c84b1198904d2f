// Unix sockets of somebody outside. A name that starts with @ is abstract.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

struct Address {
    sockaddr_un value{};
    socklen_t size = 0;
    sockaddr* get() { return reinterpret_cast<sockaddr*>(&value); }
};

Address address_of(const std::string& name) {
    Address result;
    result.value.sun_family = AF_UNIX;
    std::memcpy(result.value.sun_path, name.data(),
                std::min(name.size(), sizeof result.value.sun_path - 1));
    if (name.starts_with('@')) result.value.sun_path[0] = '\0';
    const size_t zero = name.starts_with('@') ? 0 : 1;
    result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + zero);
    return result;
}

int connected(const std::string& name, int type) {
    const int fd = ::socket(AF_UNIX, type, 0);
    if (fd < 0) return -1;
    Address to = address_of(name);
    return ::connect(fd, to.get(), to.size) == 0 ? fd : -1;
}

int send_connected(Arguments a, int type) {
    const int fd = connected(a[0], type);
    if (fd < 0) return refused("connect");
    const std::string text = mark() + "\n";
    return ::send(fd, text.data(), text.size(), MSG_NOSIGNAL) > 0 ? done : refused("send");
}

int stream(Arguments a) { return send_connected(a, SOCK_STREAM); }
int packets(Arguments a) { return send_connected(a, SOCK_SEQPACKET); }
int datagram_connected(Arguments a) { return send_connected(a, SOCK_DGRAM); }

int datagram(Arguments a) {
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0) return refused("socket");
    Address to = address_of(a[0]);
    const std::string text = mark() + "\n";
    return ::sendto(fd, text.data(), text.size(), 0, to.get(), to.size) > 0 ? done
                                                                            : refused("sendto");
}

// From one end of a pair, which walls leave alone: by its own name each message may go elsewhere.
int from_a_pair_of(int type, Arguments a) {
    int ends[2];
    if (::socketpair(AF_UNIX, type, 0, ends) != 0) return refused("socketpair");
    Address to = address_of(a[0]);
    const std::string text = mark() + "\n";
    return ::sendto(ends[0], text.data(), text.size(), 0, to.get(), to.size) > 0
               ? done
               : refused("sendto");
}

int from_a_pair(Arguments a) { return from_a_pair_of(SOCK_DGRAM, a); }
// Another name for the same: the kernel makes it one for datagrams.
int from_a_raw_pair(Arguments a) { return from_a_pair_of(SOCK_RAW, a); }

// The pair is dissolved first, then connected to somebody else.
int rejoined_pair(Arguments a) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) return refused("socketpair");
    sockaddr nobody{};
    nobody.sa_family = AF_UNSPEC;
    if (::connect(ends[0], &nobody, sizeof nobody) != 0) return refused("connect to nobody");
    Address to = address_of(a[0]);
    if (::connect(ends[0], to.get(), to.size) != 0) return refused("connect");
    const std::string text = mark() + "\n";
    return ::write(ends[0], text.data(), text.size()) > 0 ? done : refused("write");
}

struct Message {
    std::string text = mark() + "\n";
    iovec part{};
    mmsghdr header{};

    explicit Message(Address& to) {
        part = {text.data(), text.size()};
        header.msg_hdr.msg_name = to.get();
        header.msg_hdr.msg_namelen = to.size;
        header.msg_hdr.msg_iov = &part;
        header.msg_hdr.msg_iovlen = 1;
    }
};

int one_message(Arguments a) {
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0) return refused("socket");
    Address to = address_of(a[0]);
    Message message(to);
    return ::sendmsg(fd, &message.header.msg_hdr, 0) > 0 ? done : refused("sendmsg");
}

int one_message_from_a_pair(Arguments a) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0) return refused("socketpair");
    Address to = address_of(a[0]);
    Message message(to);
    return ::sendmsg(ends[0], &message.header.msg_hdr, 0) > 0 ? done : refused("sendmsg");
}

int many_messages(Arguments a) {
    const int fd = ::socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0) return refused("socket");
    Address to = address_of(a[0]);
    Message message(to);
    return ::sendmmsg(fd, &message.header, 1, 0) == 1 ? done : refused("sendmmsg");
}

// Whoever listens gives a descriptor of its own to each caller: the mark goes into that.
int gift(Arguments a) {
    const int fd = connected(a[0], SOCK_STREAM);
    if (fd < 0) return refused("connect");
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    if (::recvmsg(fd, &message, 0) <= 0) return refused("recvmsg");
    const cmsghdr* first = CMSG_FIRSTHDR(&message);
    if (first == nullptr) return refused("no descriptor came");
    int given = -1;
    std::memcpy(&given, CMSG_DATA(first), sizeof given);
    const std::string text = mark() + "\n";
    return ::write(given, text.data(), text.size()) > 0 ? done : refused("write");
}

// What must go on working: send() between two of one family.
int pair(Arguments) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return refused("socketpair");
    char byte = 0;
    if (::send(ends[0], "x", 1, 0) != 1) return refused("send");
    return ::recv(ends[1], &byte, 1, 0) == 1 && byte == 'x' ? reveal() : refused("recv");
}

int bind_name(Arguments a) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) return refused("socket");
    Address here = address_of(a[0]);
    return ::bind(fd, here.get(), here.size) == 0 ? done : refused("bind");
}

constexpr Verb verbs[] = {
    {"unix-stream", stream},
    {"unix-packets", packets},
    {"unix-datagram", datagram},
    {"unix-datagram-connected", datagram_connected},
    {"unix-from-a-pair", from_a_pair},
    {"unix-from-a-raw-pair", from_a_raw_pair},
    {"unix-rejoined-pair", rejoined_pair},
    {"unix-message", one_message},
    {"unix-message-from-a-pair", one_message_from_a_pair},
    {"unix-messages", many_messages},
    {"unix-gift", gift},
    {"unix-pair", pair},
    {"unix-bind", bind_name},
};

}  // namespace

std::span<const Verb> unix_verbs() { return verbs; }

}  // namespace probe
