#include "proxy/server.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace husk::proxy {
namespace {

constexpr uint64_t session_tag = std::numeric_limits<uint64_t>::max();
constexpr uint64_t names_tag = session_tag - 1;
constexpr uint64_t inside_tag = session_tag - 2;
constexpr uint64_t first_entrance = 1ULL << 32;  // more than any connection's
constexpr uint64_t most_entrances = 1ULL << 16;
constexpr auto rest = std::chrono::milliseconds(200);

}  // namespace

Result<std::unique_ptr<Server>> Server::make(Estate estate, const Limits& limits,
                                             const Sources& sources) {
    os::Fd epoll(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll) return failure("epoll_create1", errno, "");
    const std::vector<std::string> names = estate.allow.listed_names();
    auto server = std::unique_ptr<Server>(
        new Server({.poller = Poller(std::move(epoll)),
                    .allow = std::move(estate.allow),
                    .denials = DenialLog(std::move(estate.log), limits.denials),
                    .limits = limits,
                    .sources = sources,
                    .stand_ins = StandIns(names),
                    .inside = Inside(std::move(estate.mason))}));
    server->connections_.resize(limits.connections);
    server->add_entrance(std::move(estate.listener), Door::Http);
    server->add_entrance(std::move(estate.raw_listener), Door::Raw);
    for (Estate::Published& one : estate.published)
        server->add_entrance(std::move(one.listener), Door::Published, one.port);
    server->session_end_.hold(std::move(estate.session_end));
    server->session_end_.tag = session_tag;
    if (estate.names) server->names_.emplace(server->world_, std::move(estate.names), names_tag);
    if (!server->watch_all()) return failure("epoll_ctl", errno, "");
    return server;
}

void Server::add_entrance(os::Fd listener, Door door, uint16_t port) {
    if (!listener) return;
    Entrance entrance{{}, door, port};
    entrance.listener.hold(std::move(listener));
    entrance.listener.tag = first_entrance + entrances_.size();
    entrances_.push_back(std::move(entrance));
}

bool Server::watch_all() {
    const Poller& poller = world_.poller;
    return poller.want(session_end_, EPOLLIN | EPOLLRDHUP) &&
           world_.inside.watch(poller, inside_tag) &&
           std::ranges::all_of(entrances_, [&](Entrance& entrance) {
               return poller.want(entrance.listener, EPOLLIN);
           });
}

void Server::on_event(uint64_t tag, Clock::time_point now) {
    if (tag == names_tag) return names_->on_ready();
    if (tag == inside_tag) return take_sockets(now);
    if (tag >= first_entrance && tag < first_entrance + most_entrances)
        return accept_all(entrances_[tag - first_entrance], now);
    if (auto& connection = connections_[tag / Connection::roles])
        connection->on_ready(static_cast<Connection::Role>(tag % Connection::roles), now);
}

// Who asked may have gone meanwhile.
void Server::take_sockets(Clock::time_point now) {
    while (auto answer = world_.inside.receive())
        for (const auto& connection : connections_)
            if (connection && connection->awaited() == answer->number)
                connection->on_inside(std::move(answer->socket), now);
}

Result<void> Server::run() {
    for (;;) {
        epoll_event events[64];
        const int count = ::epoll_wait(world_.poller.fd(), events, 64, patience(Clock::now()));
        if (count < 0 && errno != EINTR) return failure("epoll_wait", errno, "");
        const auto now = Clock::now();
        for (int i = 0; i < count; ++i) {
            if (events[i].data.u64 == session_tag) return {};
            on_event(events[i].data.u64, now);
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
void Server::accept_all(Entrance& entrance, Clock::time_point now) {
    for (size_t place = 0; place < connections_.size(); ++place) {
        if (connections_[place]) continue;
        os::Fd client(
            ::accept4(entrance.listener.fd.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
        if (!client) {
            if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
                rest_until_ = now + rest;
            return;
        }
        connections_[place] = std::make_unique<Connection>(
            world_, Connection::Arrival{std::move(client), entrance.door, entrance.port},
            place * Connection::roles, now);
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
    for (Entrance& entrance : entrances_)
        world_.poller.want(entrance.listener, free_place && rest_until_ <= now ? EPOLLIN : 0U);
}

}  // namespace husk::proxy
