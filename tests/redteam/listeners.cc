#include "listeners.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <ifaddrs.h>
#include <linux/icmp.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>

namespace husk::redteam {
namespace {

constexpr int calm = SOCK_CLOEXEC | SOCK_NONBLOCK;

int port_of(int fd) {
    sockaddr_in6 address{};  // the port is at the same place in both families
    socklen_t size = sizeof address;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin6_port);
}

// Free now, and not one that the kernel gives to somebody who asks for any: whoever calls there
// again and again would some day be given that number, and reach himself.
uint16_t free_port() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    const int fd = ::socket(AF_INET, SOCK_STREAM | calm, 0);
    std::random_device random;
    uint16_t port = 0;
    do {
        port = static_cast<uint16_t>(10000 + random() % 20000);
        address.sin_port = htons(port);
    } while (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0);
    ::close(fd);
    return port;
}

// An address of this machine that is not the loopback; the loopback where there is none.
std::string own_address() {
    ifaddrs* list = nullptr;
    std::string found = "127.0.0.1";
    if (::getifaddrs(&list) != 0) return found;
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
        char text[INET_ADDRSTRLEN] = {};
        const auto* four = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
        ::inet_ntop(AF_INET, &four->sin_addr, text, sizeof text);
        if (!std::string_view(text).starts_with("127.")) found = text;
    }
    ::freeifaddrs(list);
    return found;
}

void give(int caller, int gift) {
    char byte = 'g';
    iovec part{&byte, 1};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof gift)] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    cmsghdr* first = CMSG_FIRSTHDR(&message);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof gift);
    std::memcpy(CMSG_DATA(first), &gift, sizeof gift);
    ::sendmsg(caller, &message, MSG_NOSIGNAL);
}

}  // namespace

Listeners::Listeners(const std::filesystem::path& dir, const std::string& secret) {
    open_internet();
    open_unix(dir, secret);
    open_rest();
    thread_ = std::thread([this] { hear_until_told(); });
}

Listeners::~Listeners() {
    over_ = true;
    thread_.join();
    for (const int fd : fds_) ::close(fd);
    for (const int fd : {socket_end_, pipe_end_, gift_, serve_datagram_}) ::close(fd);
}

int Listeners::bound(int family, int type, const std::string& host, const std::string& name) {
    const int fd = ::socket(family, type | calm, 0);
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);
    if (family == AF_INET)
        ::inet_pton(family, host.c_str(), &reinterpret_cast<sockaddr_in*>(&address)->sin_addr);
    else
        ::inet_pton(family, host.c_str(), &reinterpret_cast<sockaddr_in6*>(&address)->sin6_addr);
    const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), size), 0) << name;
    if (type == SOCK_STREAM) {
        EXPECT_EQ(::listen(fd, 64), 0) << name;
        servers_.push_back(fd);
    }
    fds_.push_back(fd);
    names_[name] = std::to_string(port_of(fd));
    return fd;
}

// At the same port; not every kernel has it.
void Listeners::open_udp_lite(int port) {
    const int fd = ::socket(AF_INET, SOCK_DGRAM | calm, IPPROTO_UDPLITE);
    if (fd < 0) return;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    fds_.push_back(fd);
}

void Listeners::open_internet() {
    bound(AF_INET, SOCK_STREAM, "0.0.0.0", "TCP");
    bound(AF_INET6, SOCK_STREAM, "::1", "TCP6");
    open_udp_lite(port_of(bound(AF_INET, SOCK_DGRAM, "0.0.0.0", "UDP")));
    bound(AF_INET6, SOCK_DGRAM, "::1", "UDP6");
    hidden_port_ = port_of(bound(AF_INET, SOCK_STREAM, "127.0.0.1", "hidden"));
    names_.erase("hidden");
    names_["OWN"] = own_address();
    serve_port_ = free_port();
    names_["SERVE"] = std::to_string(serve_port_);
    serve_datagram_ = ::socket(AF_INET, SOCK_DGRAM | calm, 0);
}

void Listeners::bind_unix(int type, const std::string& path, const std::string& name) {
    const int fd = ::socket(AF_UNIX, type | calm, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
    const bool is_abstract = path.starts_with('@');
    if (is_abstract) address.sun_path[0] = '\0';
    const auto size = offsetof(sockaddr_un, sun_path) + path.size() + (is_abstract ? 0 : 1);
    EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(size)),
              0)
        << path << ": " << std::strerror(errno);
    if (type != SOCK_DGRAM) {
        EXPECT_EQ(::listen(fd, 64), 0);
        servers_.push_back(fd);
    }
    if (!is_abstract) ::chmod(path.c_str(), 0777);
    if (name == "GIFT") gift_server_ = fd;
    fds_.push_back(fd);
    names_[name] = path;
}

void Listeners::open_unix(const std::filesystem::path& dir, const std::string& secret) {
    bind_unix(SOCK_STREAM, dir / "stream", "UNIX");
    bind_unix(SOCK_SEQPACKET, dir / "packets", "PACKETS");
    bind_unix(SOCK_DGRAM, dir / "datagram", "DATAGRAM");
    bind_unix(SOCK_STREAM, dir / "gift", "GIFT");
    const std::string unique = dir.parent_path().filename().string();
    bind_unix(SOCK_STREAM, "@" + unique + "-stream", "ABSTRACT");
    bind_unix(SOCK_DGRAM, "@" + unique + "-datagram", "ABSTRACT_DATAGRAM");
    bind_unix(SOCK_DGRAM, "@" + secret, "hidden");
    names_.erase("hidden");
}

void Listeners::open_rest() {
    int ends[2];
    ::pipe2(ends, O_CLOEXEC | O_NONBLOCK);
    fds_.push_back(ends[0]);
    gift_ = ends[1];
    ::pipe2(ends, O_CLOEXEC | O_NONBLOCK);
    fds_.push_back(ends[0]);
    pipe_end_ = ends[1];
    ::socketpair(AF_UNIX, SOCK_STREAM | calm, 0, ends);
    fds_.push_back(ends[0]);
    socket_end_ = ends[1];

    const int netlink = ::socket(AF_NETLINK, SOCK_RAW | calm, NETLINK_USERSOCK);
    sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    EXPECT_EQ(::bind(netlink, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    ::getsockname(netlink, reinterpret_cast<sockaddr*>(&address), &size);
    names_["USERSOCK"] = std::to_string(static_cast<int>(address.nl_pid));
    fds_.push_back(netlink);
    const int pings = ::socket(AF_INET, SOCK_RAW | calm, IPPROTO_ICMP);
    // What others are told of closed ports, who attack at the same time, would fill it.
    const icmp_filter only_echo{~(1U << ICMP_ECHO)};
    ::setsockopt(pings, SOL_RAW, ICMP_FILTER, &only_echo, sizeof only_echo);
    constexpr uint16_t experimental = 0x88b5;
    const int frames = ::socket(AF_PACKET, SOCK_DGRAM | calm, htons(experimental));
    for (const int fd : {pings, frames})
        if (fd >= 0) fds_.push_back(fd);  // only root hears them
}

void Listeners::listen_to(int fd) {
    const std::scoped_lock lock(mutex_);
    fds_.push_back(fd);
}

void Listeners::note(const std::string& text) {
    const std::scoped_lock lock(mutex_);
    constexpr int nowhere = -1;
    heard_[nowhere] += text + "\n";
}

bool Listeners::have_heard(const std::string& mark) const {
    const std::scoped_lock lock(mutex_);
    return std::ranges::any_of(
        heard_, [&](const auto& one) { return one.second.find(mark) != std::string::npos; });
}

// Under the lock.
void Listeners::hear(int fd) {
    if (std::ranges::find(servers_, fd) != servers_.end()) {
        const int caller = ::accept4(fd, nullptr, nullptr, calm);
        if (caller < 0) return;
        if (fd == gift_server_) give(caller, gift_);
        fds_.push_back(caller);
        callers_.push_back(caller);
        return;
    }
    char buffer[65536];
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got > 0) heard_[fd].append(buffer, static_cast<size_t>(got));
    if (got == 0 && std::ranges::find(callers_, fd) != callers_.end()) {
        std::erase(fds_, fd);
        std::erase(callers_, fd);
        ::close(fd);
    }
}

// Comes to a server inside, should there be one that can be reached.
void Listeners::call_servers() {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(serve_port_);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* address = reinterpret_cast<const sockaddr*>(&to);
    ::sendto(serve_datagram_, "hello", 5, 0, address, sizeof to);
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char buffer[256];
    if (::connect(fd, address, sizeof to) == 0) {
        pollfd wanted{fd, POLLIN, 0};
        ::poll(&wanted, 1, 1000);
        const ssize_t got = ::recv(fd, buffer, sizeof buffer, MSG_DONTWAIT);
        if (got > 0) note(std::string(buffer, static_cast<size_t>(got)));
    }
    ::close(fd);
    const ssize_t got = ::recv(serve_datagram_, buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) note(std::string(buffer, static_cast<size_t>(got)));
}

void Listeners::hear_until_told() {
    while (!over_) {
        call_servers();
        std::vector<pollfd> wanted;
        {
            const std::scoped_lock lock(mutex_);
            for (const int fd : fds_) wanted.push_back({fd, POLLIN, 0});
        }
        ::poll(wanted.data(), wanted.size(), 0);
        {
            const std::scoped_lock lock(mutex_);
            for (const pollfd& one : wanted)
                if ((one.revents & POLLIN) != 0) hear(one.fd);
        }
        // Not by the timeout of poll: a pipe whose writer has left is always ready.
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
}

}  // namespace husk::redteam
