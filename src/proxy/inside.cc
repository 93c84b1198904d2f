#include "proxy/inside.h"

#include <sys/socket.h>

#include <cstring>

namespace husk::proxy {

bool Inside::watch(const Poller& poller, uint64_t tag) {
    socket_.tag = tag;
    return !socket_.fd || poller.want(socket_, EPOLLIN);
}

uint32_t Inside::ask(wire::InsideFamily family) {
    if (++last_ == 0) ++last_;
    const wire::InsideRequest request{last_, family};
    const bool sent = ::send(socket_.fd.get(), &request, sizeof request,
                             MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof request;
    return sent ? last_ : 0;
}

std::optional<Inside::Answer> Inside::receive() {
    wire::InsideRequest request{};
    iovec part{&request, sizeof request};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(socket_.fd.get(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got == 0) socket_.hold({});  // the mason is gone, and with it the session
    if (got != sizeof request) return std::nullopt;
    Answer answer{request.number, {}};
    const cmsghdr* first = CMSG_FIRSTHDR(&header);
    if (first != nullptr && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_RIGHTS &&
        first->cmsg_len == CMSG_LEN(sizeof(int))) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(first), sizeof fd);
        answer.socket = os::Fd(fd);
    }
    return answer;
}

SocketAddress loopback_inside(wire::InsideFamily family, uint16_t port) {
    const bool is_v4 = family == wire::InsideFamily::V4;
    return socket_address(*parse_address(is_v4 ? "127.0.0.1" : "::1"), port);
}

}  // namespace husk::proxy
