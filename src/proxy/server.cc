#include "proxy/server.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace husk::proxy {
namespace {

constexpr uint64_t listener_tag = std::numeric_limits<uint64_t>::max();
constexpr uint64_t session_tag = listener_tag - 1;
constexpr auto rest = std::chrono::milliseconds(200);

}  // namespace

Result<std::unique_ptr<Server>> Server::make(Estate estate, const Limits& limits,
                                             const Sources& sources) {
    os::Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll) return failure("epoll_create1", errno, "");
    auto server = std::unique_ptr<Server>(
        new Server({.poller = Poller(std::move(epoll)),
                    .allow = std::move(estate.allow),
                    .denials = DenialLog(std::move(estate.log), limits.denials),
                    .limits = limits,
                    .sources = sources}));
    server->connections_.resize(limits.connections);
    server->listener_.hold(std::move(estate.listener));
    server->listener_.tag = listener_tag;
    server->session_end_.hold(std::move(estate.session_end));
    server->session_end_.tag = session_tag;
    const Poller& poller = server->world_.poller;
    if (!poller.want(server->session_end_, EPOLLIN | EPOLLRDHUP) ||
        !poller.want(server->listener_, EPOLLIN))
        return failure("epoll_ctl", errno, "");
    return server;
}

Result<void> Server::run() {
    for (;;) {
        epoll_event events[64];
        const int count = ::epoll_wait(world_.poller.fd(), events, 64, patience(Clock::now()));
        if (count < 0 && errno != EINTR) return failure("epoll_wait", errno, "");
        const auto now = Clock::now();
        for (int i = 0; i < count; ++i) {
            const uint64_t tag = events[i].data.u64;
            if (tag == session_tag) return {};
            if (tag == listener_tag) {
                accept_all(now);
            } else if (auto& connection = connections_[tag / Connection::roles]) {
                connection->on_ready(static_cast<Connection::Role>(tag % Connection::roles), now);
            }
        }
        sweep(now);
    }
}

// In milliseconds, until something has waited long enough; -1: for ever.
int Server::patience(Clock::time_point now) const {
    auto first = rest_until_ > now ? rest_until_ : Clock::time_point::max();
    for (const auto& connection : connections_)
        if (connection) first = std::min(first, connection->deadline());
    if (first == Clock::time_point::max()) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - now).count();
    return static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
}

// A place becomes free only in sweep(), so no event of this round can be for its former owner.
void Server::accept_all(Clock::time_point now) {
    for (size_t place = 0; place < connections_.size(); ++place) {
        if (connections_[place]) continue;
        os::Fd client(
            ::accept4(listener_.fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!client) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
                rest_until_ = now + rest;
            return;
        }
        connections_[place] =
            std::make_unique<Connection>(world_, std::move(client), place * Connection::roles, now);
    }
}

void Server::sweep(Clock::time_point now) {
    bool free_place = false;
    for (auto& connection : connections_) {
        if (connection) connection->on_time(now);
        if (connection && connection->closed()) connection.reset();
        free_place = free_place || !connection;
    }
    // Who finds no place waits in the queue of the listening socket.
    world_.poller.want(listener_, free_place && rest_until_ <= now ? EPOLLIN : 0U);
}

}  // namespace husk::proxy
