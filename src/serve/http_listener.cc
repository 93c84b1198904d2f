#include "serve/http_listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/units.h"

namespace husk::serve::http {
namespace {

constexpr int backlog = 511;
constexpr std::chrono::milliseconds pause(100);

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;
    const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

std::optional<SocketAddress> socket_address(const Address& address) {
    SocketAddress made;
    auto* four = reinterpret_cast<sockaddr_in*>(&made.storage);
    auto* six = reinterpret_cast<sockaddr_in6*>(&made.storage);
    const std::string host = address.host == "localhost" ? "127.0.0.1" : address.host;
    if (::inet_pton(AF_INET, host.c_str(), &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(address.port);
        made.length = sizeof *four;
        return made;
    }
    made.storage = {};
    if (::inet_pton(AF_INET6, host.c_str(), &six->sin6_addr) != 1) return std::nullopt;
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(address.port);
    made.length = sizeof *six;
    return made;
}

// Whether somebody listens there.
bool answers(const sockaddr_un& address) {
    const os::Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

Result<os::Fd> listening(os::Fd socket, const std::string& where) {
    if (::listen(socket.get(), backlog) != 0) return failure("listen", errno, where);
    return socket;
}

}  // namespace

std::optional<Address> read_address(const std::string& text) {
    const size_t colon = text.rfind(':');
    if (colon == std::string::npos) return std::nullopt;
    Address address;
    address.host = text.substr(0, colon);
    if (address.host.starts_with('[') && address.host.ends_with(']'))
        address.host = address.host.substr(1, address.host.size() - 2);
    const auto port = text::parse_number(std::string_view(text).substr(colon + 1));
    constexpr uint64_t highest = 65535;
    if (!port || *port > highest) return std::nullopt;
    address.port = static_cast<uint16_t>(*port);
    if (address.host == "localhost") address.host = "127.0.0.1";
    if (!socket_address(address)) return std::nullopt;
    return address;
}

Result<os::Fd> listen_on(const Address& address) {
    const std::string where = address.host + " port " + std::to_string(address.port);
    const auto target = socket_address(address);
    if (!target) return failure("--listen", 0, where + " is not an address");
    os::Fd socket(
        ::socket(target->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return failure("socket", errno, where);
    const int on = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (::bind(socket.get(), target->get(), target->length) != 0)
        return failure("bind", errno, where + "; --listen chooses another");
    return listening(std::move(socket), where);
}

Result<os::Fd> listen_at_path(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path)
        return failure("--socket", 0, path + " is longer than the 107 bytes of a socket's path");
    std::memcpy(address.sun_path, path.data(), path.size());
    struct stat info{};
    if (::lstat(path.c_str(), &info) == 0) {
        if (!S_ISSOCK(info.st_mode)) return failure("--socket", 0, path + " is no socket");
        if (answers(address)) return failure("--socket", EADDRINUSE, path);
        ::unlink(path.c_str());
    }
    os::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket) return failure("socket", errno, path);
    // Before it has a name: nobody connects in between.
    ::fchmod(socket.get(), S_IRUSR | S_IWUSR);
    const mode_t before = ::umask(S_IRWXG | S_IRWXO);
    const int bound =
        ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const int failed = errno;
    ::umask(before);
    if (bound != 0) return failure("bind", failed, path);
    return listening(std::move(socket), path);
}

std::vector<os::Fd> inherited_sockets() {
    constexpr int first = 3;
    const char* pid = std::getenv("LISTEN_PID");    // NOLINT(concurrency-mt-unsafe)
    const char* count = std::getenv("LISTEN_FDS");  // NOLINT(concurrency-mt-unsafe)
    std::vector<os::Fd> sockets;
    if (pid == nullptr || count == nullptr || pid != std::to_string(::getpid())) return sockets;
    const auto many = text::parse_number(count);
    constexpr uint64_t most = 16;
    for (int fd = first; many && fd < first + static_cast<int>(std::min(*many, most)); ++fd) {
        ::fcntl(fd, F_SETFD, FD_CLOEXEC);
        ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
        sockets.emplace_back(fd);
    }
    // They are ours, not those of a command.
    for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"})
        ::unsetenv(name);  // NOLINT(concurrency-mt-unsafe)
    return sockets;
}

Address address_of(int socket) {
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &length) != 0) return {};
    char text[INET6_ADDRSTRLEN] = {};
    if (storage.ss_family == AF_INET) {
        const auto* four = reinterpret_cast<const sockaddr_in*>(&storage);
        ::inet_ntop(AF_INET, &four->sin_addr, text, sizeof text);
        return {text, ntohs(four->sin_port)};
    }
    if (storage.ss_family == AF_INET6) {
        const auto* six = reinterpret_cast<const sockaddr_in6*>(&storage);
        ::inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof text);
        return {text, ntohs(six->sin6_port)};
    }
    return {};
}

bool is_unix(int socket) {
    sockaddr_storage storage{};
    socklen_t length = sizeof storage;
    return ::getsockname(socket, reinterpret_cast<sockaddr*>(&storage), &length) == 0 &&
           storage.ss_family == AF_UNIX;
}

Listener::Listener(Loop& loop, os::Fd socket, Tls* tls, const Service& service, size_t most)
    : loop_(loop),
      socket_(std::move(socket)),
      tls_(tls),
      service_(service),
      most_(most),
      again_(loop) {
    listen();
}

Listener::~Listener() {
    readable_.reset();
    for (const auto& connection : connections_) connection->close();
}

void Listener::listen() {
    readable_ = std::make_unique<Readable>(loop_, socket_.get(), [this] { accept(); });
}

void Listener::close() {
    again_.cancel();
    readable_.reset();
    socket_.reset();
    const auto all = connections_;
    for (const auto& connection : all) connection->close_when_idle();
}

void Listener::accept() {
    for (;;) {
        // Others wait in the queue of the kernel until somebody leaves.
        const bool full = connections_.size() >= most_;
        os::Fd client(
            full ? -1 : ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!client && !full && (errno == EINTR || errno == ECONNABORTED)) continue;
        if (!client && !full && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (!client) {
            // Full, or out of descriptors: it would be readable for ever.
            readable_.reset();
            return again_.set(pause, [this] { listen(); });
        }
        Peer peer{.is_local = is_unix(client.get()), .local_address = {}};
        if (!peer.is_local) {
            peer.local_address = address_of(client.get()).host;
            const int on = 1;
            ::setsockopt(client.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        }
        const bool sealed = tls_ != nullptr && !peer.is_local;
        auto wire = sealed ? tls_wire(loop_, std::move(client), *tls_)
                           : plain_wire(loop_, std::move(client));
        auto connection = std::make_shared<Connection>(
            loop_, std::move(wire), std::move(peer), service_, [this](const Connection* closed) {
                std::erase_if(connections_, [&](const auto& one) { return one.get() == closed; });
            });
        connections_.insert(connection);
        connection->start();
    }
}

}  // namespace husk::serve::http
