#include "os/socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

namespace husk::os {
namespace {

constexpr size_t max_fds = 16;

struct Address {
    sockaddr_un value{};
    socklen_t size = 0;
};

Address address_at(const Fd& dir, const std::string& name) {
    const std::string path = "/proc/self/fd/" + std::to_string(dir.get()) + "/" + name;
    Address address;
    address.value.sun_family = AF_UNIX;
    const size_t length = std::min(path.size(), sizeof address.value.sun_path - 1);
    std::memcpy(address.value.sun_path, path.data(), length);
    address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length + 1);
    return address;
}

const sockaddr* generic(const Address& address) {
    return reinterpret_cast<const sockaddr*>(&address.value);
}

Result<Fd> new_socket(int type) {
    Fd socket(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
    if (!socket) return failure("socket", errno, "");
    return socket;
}

}  // namespace

Result<std::pair<Fd, Fd>> socket_pair(int type) {
    int fds[2];
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds) != 0)
        return failure("socketpair", errno, "");
    return std::pair(Fd(fds[0]), Fd(fds[1]));
}

Result<Fd> listen_at(const Fd& dir, const std::string& name, int type) {
    Fd socket = TRY(new_socket(type));
    const Address address = address_at(dir, name);
    if (::bind(socket.get(), generic(address), address.size) != 0)
        return failure("bind", errno, name);
    if (::listen(socket.get(), 128) != 0) return failure("listen", errno, name);
    return socket;
}

Result<Fd> connect_at(const Fd& dir, const std::string& name, int type) {
    Fd socket = TRY(new_socket(type));
    const Address address = address_at(dir, name);
    if (::connect(socket.get(), generic(address), address.size) != 0)
        return failure("connect", errno, name);
    return socket;
}

Result<void> send_message(const Fd& socket, std::string_view data, std::span<const int> fds) {
    iovec part{const_cast<char*>(data.data()), data.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * max_fds)] = {};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (!fds.empty()) {
        header.msg_control = control;
        header.msg_controllen = CMSG_SPACE(fds.size_bytes());
        cmsghdr* first = CMSG_FIRSTHDR(&header);
        first->cmsg_level = SOL_SOCKET;
        first->cmsg_type = SCM_RIGHTS;
        first->cmsg_len = CMSG_LEN(fds.size_bytes());
        std::memcpy(CMSG_DATA(first), fds.data(), fds.size_bytes());
    }
    ssize_t sent = 0;
    do sent = ::sendmsg(socket.get(), &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0) return failure("sendmsg", errno, "");
    return {};
}

Result<Message> receive_message(const Fd& socket, size_t room) {
    Message message;
    message.data.resize(room);
    iovec part{message.data.data(), room};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * max_fds)] = {};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    ssize_t got = 0;
    do got = ::recvmsg(socket.get(), &header, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got < 0) return failure("recvmsg", errno, "");
    message.data.resize(static_cast<size_t>(got));
    for (cmsghdr* part_of = CMSG_FIRSTHDR(&header); part_of != nullptr;
         part_of = CMSG_NXTHDR(&header, part_of)) {
        if (part_of->cmsg_level != SOL_SOCKET || part_of->cmsg_type != SCM_RIGHTS) continue;
        const size_t count = (part_of->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(part_of) + i * sizeof fd, sizeof fd);
            message.fds.emplace_back(fd);
        }
    }
    // The kernel drops descriptors for which this process has no room.
    if ((header.msg_flags & MSG_CTRUNC) != 0) return failure("recvmsg", EMFILE, "");
    return message;
}

}  // namespace husk::os
