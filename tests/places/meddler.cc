#include "meddler.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace husk::test {
namespace {

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    EXPECT_LT(path.size(), sizeof address.sun_path);
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return address;
}

bool pass_on(int to, const char* text, size_t size) {
    while (size > 0) {
        const ssize_t sent = ::send(to, text, size, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        text += sent;
        size -= static_cast<size_t>(sent);
    }
    return true;
}

bool starts_container(const std::string& request) {
    const std::string line = request.substr(0, request.find('\r'));
    return line.starts_with("POST /") && line.contains("/containers/") && line.contains("/start ");
}

}  // namespace

Meddler::Meddler(std::string engine, Deeds deeds)
    : engine_(std::move(engine)), deeds_(std::move(deeds)) {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_of(socket());
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    EXPECT_EQ(::pipe2(stop_, O_CLOEXEC), 0);
    thread_ = std::thread([this] {
        for (;;) {
            pollfd fds[] = {{listener_, POLLIN, 0}, {stop_[0], POLLIN, 0}};
            if (::poll(fds, 2, -1) < 0 || fds[1].revents != 0) return;
            const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (client >= 0) clients_.emplace_back([this, client] { serve(client); });
        }
    });
}

Meddler::~Meddler() {
    ::close(stop_[1]);
    thread_.join();
    for (std::thread& client : clients_) client.join();
    ::close(listener_);
    ::close(stop_[0]);
}

// Until one of the two hangs up.
void Meddler::serve(int client) const {
    const int engine = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_of(engine_);
    EXPECT_EQ(::connect(engine, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    bool is_first = true;
    bool starts = false;
    char buffer[64 * 1024];
    for (;;) {
        pollfd fds[] = {{client, POLLIN, 0}, {engine, POLLIN, 0}, {stop_[0], POLLIN, 0}};
        if (::poll(fds, 3, -1) < 0 || fds[2].revents != 0) break;
        const bool asks = fds[0].revents != 0;
        const ssize_t got = ::recv(asks ? client : engine, buffer, sizeof buffer, 0);
        if (got <= 0) break;
        if (asks && is_first) {
            starts = starts_container({buffer, static_cast<size_t>(got)});
            if (starts) deeds_.before_start();
            is_first = false;
        }
        if (!asks && starts) {
            deeds_.after_start();
            starts = false;
        }
        if (!pass_on(asks ? engine : client, buffer, static_cast<size_t>(got))) break;
    }
    ::close(client);
    ::close(engine);
}

}  // namespace husk::test
