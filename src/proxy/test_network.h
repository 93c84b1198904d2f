// What the tests of the proxy talk to: servers on loopback, a name server, and a client.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "os/fd.h"
#include "proxy/address.h"

namespace husk::proxy::testing_network {

inline os::Fd bound(int type, uint16_t port = 0) {
    os::Fd socket(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
    const SocketAddress address = socket_address(*parse_address("127.0.0.1"), port);
    if (::bind(socket.get(), address.generic(), address.size) != 0) return {};
    if (type == SOCK_STREAM) ::listen(socket.get(), 1024);
    return socket;
}

inline uint16_t port_of(const os::Fd& socket) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
}

// A connection that gives up after ten seconds, so that no test waits for ever.
class Wire {
public:
    explicit Wire(os::Fd socket) : socket_(std::move(socket)) {
        const timeval patience{10, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    }
    static Wire to(uint16_t port) {
        os::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const SocketAddress address = socket_address(*parse_address("127.0.0.1"), port);
        if (::connect(socket.get(), address.generic(), address.size) != 0) return Wire(os::Fd());
        return Wire(std::move(socket));
    }

    bool is_open() const { return static_cast<bool>(socket_); }
    const os::Fd& fd() const { return socket_; }

    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t put = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (put <= 0) return false;
            bytes.remove_prefix(static_cast<size_t>(put));
        }
        return true;
    }
    void finish() { ::shutdown(socket_.get(), SHUT_WR); }

    // As many bytes, or fewer if it ended before.
    std::string read(size_t size) {
        std::string bytes;
        char chunk[65536];
        while (bytes.size() < size) {
            const size_t wanted = std::min(sizeof chunk, size - bytes.size());
            const ssize_t got = ::recv(socket_.get(), chunk, wanted, 0);
            if (got <= 0) break;
            bytes.append(chunk, static_cast<size_t>(got));
        }
        return bytes;
    }
    std::string read_until(std::string_view end) {
        std::string bytes;
        while (!bytes.ends_with(end)) {
            const std::string next = read(1);
            if (next.empty()) break;
            bytes += next;
        }
        return bytes;
    }
    std::string read_all() { return read(std::string::npos); }

    // Whether the other side has ended, without saying anything more: 0, or a reset: ECONNRESET.
    int read_end() {
        char byte = 0;
        const ssize_t got = ::recv(socket_.get(), &byte, 1, 0);
        if (got == 0) return 0;
        return got < 0 ? errno : -1;
    }

private:
    os::Fd socket_;
};

// Serves each connection in a thread of its own.
class Origin {
public:
    explicit Origin(std::function<void(Wire&)> serve)
        : listener_(bound(SOCK_STREAM)),
          serve_(std::move(serve)),
          accepting_([this] { accept(); }) {}
    ~Origin() {
        ::shutdown(listener_.get(), SHUT_RDWR);
        accepting_.join();
        for (std::thread& each : serving_) each.join();
    }
    Origin(const Origin&) = delete;
    Origin& operator=(const Origin&) = delete;

    uint16_t port() const { return port_of(listener_); }
    std::string address() const { return "127.0.0.1:" + std::to_string(port()); }
    int connections() const { return connections_; }

private:
    void accept() {
        for (;;) {
            os::Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (!client) return;
            ++connections_;
            serving_.emplace_back(
                [this, wire = Wire(std::move(client))]() mutable { serve_(wire); });
        }
    }

    os::Fd listener_;
    std::function<void(Wire&)> serve_;
    std::atomic<int> connections_ = 0;
    std::vector<std::thread> serving_;
    std::thread accepting_;
};

// Sends back what comes, and ends when the client does.
inline void echo(Wire& wire) {
    char chunk[16384];
    for (;;) {
        const ssize_t got = ::recv(wire.fd().get(), chunk, sizeof chunk, 0);
        if (got <= 0 || !wire.send({chunk, static_cast<size_t>(got)})) break;
    }
    wire.finish();
}

}  // namespace husk::proxy::testing_network
