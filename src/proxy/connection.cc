#include "proxy/connection.h"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "keeper/forwarding.h"

namespace husk::proxy {
namespace {

std::string_view phrase(int status) {
    switch (status) {
        case 400: return "Bad Request";
        case 403: return "Forbidden";
        case 408: return "Request Timeout";
        case 431: return "Request Header Fields Too Large";
        case 504: return "Gateway Timeout";
        case 505: return "HTTP Version Not Supported";
        default: return "Bad Gateway";
    }
}

std::string response(const Refusal& refusal) {
    std::string text = "HTTP/1.1 " + std::to_string(refusal.status) + " ";
    text += phrase(refusal.status);
    text += "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: " +
            std::to_string(refusal.reason.size()) + "\r\n\r\n";
    return text + refusal.reason;
}

// Small messages shall not wait for each other.
void send_at_once(const os::Fd& socket) {
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

// Closing it is then a reset: the other side learns that something is missing.
void close_as_reset(const os::Fd& socket) {
    const linger at_once{1, 0};
    if (socket) ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

// Where a preamble leads; nothing if its address stands for nothing.
std::optional<Target> target_of(const forwarding::Preamble& preamble, const StandIns& stand_ins) {
    const auto port = static_cast<uint16_t>(preamble.port[0] << 8 | preamble.port[1]);
    uint32_t number = 0;
    for (const unsigned char byte : preamble.address) number = number << 8 | byte;
    const Address address = v4_address(preamble.address);
    if (is_loopback(address)) return Target{"localhost", std::nullopt, port};
    if ((number & forwarding::mask) != forwarding::network)
        return Target{to_text(address), address, port};
    std::string name = stand_ins.name_of(number);
    if (name.empty()) return std::nullopt;
    return Target{std::move(name), std::nullopt, port};
}

}  // namespace

Connection::Connection(World& world, Arrival arrival, uint64_t first_tag, Clock::time_point now)
    : world_(world),
      first_tag_(first_tag),
      door_(arrival.door),
      deadline_(now + world.limits.head) {
    client_.hold(std::move(arrival.client));
    client_.tag = first_tag + Client;
    server_.tag = first_tag + Server;
    send_at_once(client_.fd);
    if (door_ == Door::Published) {
        request_.target = {.host = "localhost", .address = std::nullopt, .port = arrival.port};
        ask_for_socket(family_, now);
        return;
    }
    if (!world_.poller.want(client_, EPOLLIN)) close();
}

Clock::time_point Connection::deadline() const {
    return phase_ == Phase::Lookup ? lookup_->deadline() : deadline_;
}

void Connection::on_ready(Role role, Clock::time_point now) {
    switch (phase_) {
        case Phase::Head: return door_ == Door::Raw ? read_preamble(now) : read_head(now);
        case Phase::Inside: return;
        case Phase::Lookup:
            if (role >= FirstQuery) lookup_->on_ready(role - FirstQuery, now);
            return see_lookup(now);
        case Phase::Connect:
            if (role == Server) finish_connect(now);
            return;
        case Phase::Relay: return relay(now);
        case Phase::Farewell: return say_farewell(now);
        case Phase::Closed: return;
    }
}

void Connection::on_time(Clock::time_point now) {
    if (deadline() > now) return;
    switch (phase_) {
        case Phase::Inside: return reset();
        case Phase::Head:
            if (door_ == Door::Raw) return reset();
            return refuse({408, "husk: the head of a request did not come.\n"}, now);
        case Phase::Lookup: lookup_->on_time(now); return see_lookup(now);
        case Phase::Connect: connect_error_ = ETIMEDOUT; return connect_next(now);
        case Phase::Relay: return reset();
        case Phase::Farewell: return close();
        case Phase::Closed: return;
    }
}

void Connection::read_head(Clock::time_point now) {
    char chunk[size_t{16} << 10];
    const ssize_t got = ::recv(client_.fd.get(), chunk, sizeof chunk, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return close();
    bytes_.append(chunk, static_cast<size_t>(got));
    const auto size = head_size(bytes_, seen_);
    seen_ = bytes_.size();
    if (size && !*size) return;
    auto request = size ? parse_request(std::string_view(bytes_).substr(0, **size))
                        : std::unexpected(size.error());
    if (!request)
        return refuse({request.error().status, "husk: " + request.error().reason + ".\n"}, now);
    request_ = *std::move(request);
    bytes_.erase(0, **size);
    bytes_.shrink_to_fit();
    // Until there is somebody to send it to, the client keeps what it has to say.
    world_.poller.want(client_, 0);
    decide(now);
}

// The mason sends it, or whoever in the session can write eight bytes: it opens nothing that the
// list does not.
void Connection::read_preamble(Clock::time_point now) {
    forwarding::Preamble preamble{};
    char chunk[sizeof preamble];
    const ssize_t got = ::recv(client_.fd.get(), chunk, sizeof chunk - bytes_.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return close();
    bytes_.append(chunk, static_cast<size_t>(got));
    if (bytes_.size() < sizeof preamble) return;
    std::memcpy(&preamble, bytes_.data(), sizeof preamble);
    bytes_ = std::string();
    answers_ = std::ranges::equal(preamble.kind, forwarding::blocking);
    if (!answers_ && !std::ranges::equal(preamble.kind, forwarding::nonblocking)) return reset();
    world_.poller.want(client_, 0);
    auto target = target_of(preamble, world_.stand_ins);
    if (!target) return fail(ENETUNREACH, now);
    request_.target = *std::move(target);
    decide(now);
}

// For a published port. The proxy itself is outside, and has no way in.
void Connection::ask_for_socket(wire::InsideFamily family, Clock::time_point now) {
    phase_ = Phase::Inside;
    deadline_ = now + world_.limits.connect;
    family_ = family;
    asked_ = world_.inside.ask(family);
    if (asked_ == 0) reset();
}

void Connection::on_inside(os::Fd socket, Clock::time_point now) {
    if (!socket) return reset();
    server_.hold(std::move(socket));
    phase_ = Phase::Connect;
    const SocketAddress address = loopback_inside(family_, request_.target.port);
    if (::connect(server_.fd.get(), address.generic(), address.size) != 0 && errno != EINPROGRESS) {
        connect_error_ = errno;
        return connect_next(now);
    }
    if (!world_.poller.want(server_, EPOLLOUT)) reset();
}

void Connection::decide(Clock::time_point now) {
    const Target& target = request_.target;
    if (!world_.allow.allows(target)) return deny({target, std::nullopt}, now);
    if (target.address) return choose({*target.address}, now);
    // By RFC 6761 this name is not for name servers.
    if (target.host == "localhost")
        return choose({*parse_address("127.0.0.1"), *parse_address("::1")}, now);
    phase_ = Phase::Lookup;
    lookup_.emplace(world_.poller, world_.sources, target.host,
                    std::array{first_tag_ + FirstQuery, first_tag_ + SecondQuery}, now);
    see_lookup(now);
}

void Connection::see_lookup(Clock::time_point now) {
    if (!lookup_->ended()) return;
    std::vector<Address> addresses = lookup_->addresses();
    lookup_.reset();
    choose(std::move(addresses), now);
}

void Connection::choose(std::vector<Address> addresses, Clock::time_point now) {
    const Target& target = request_.target;
    if (addresses.empty())
        return refuse({502, "husk: no address was found for " + target.host + ".\n"}, now);
    const Address first = addresses.front();
    std::erase_if(addresses,
                  [&](const Address& each) { return !world_.allow.allows(target, each); });
    if (addresses.empty()) return deny({target, first}, now);
    std::ranges::reverse(addresses);
    addresses_ = std::move(addresses);
    connect_end_ = now + world_.limits.connect;
    phase_ = Phase::Connect;
    connect_next(now);
}

void Connection::connect_next(Clock::time_point now) {
    if (door_ == Door::Published) {
        if (family_ == wire::InsideFamily::V6) return reset();
        return ask_for_socket(wire::InsideFamily::V6, now);
    }
    while (!addresses_.empty() && now < connect_end_) {
        // Those that are left share the time that is left.
        deadline_ = now + (connect_end_ - now) / static_cast<int>(addresses_.size());
        const SocketAddress address = socket_address(addresses_.back(), request_.target.port);
        addresses_.pop_back();
        server_.hold(os::Fd(
            ::socket(address.value.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
        if (server_.fd && (::connect(server_.fd.get(), address.generic(), address.size) == 0 ||
                           errno == EINPROGRESS)) {
            world_.poller.want(server_, EPOLLOUT);
            return;
        }
        connect_error_ = errno;
    }
    const int status = connect_error_ == ETIMEDOUT ? 504 : 502;
    refuse({status, "husk: connect to " + to_text(request_.target) + ": " +
                        std::strerror(connect_error_) + ".\n"},
           now);
}

void Connection::finish_connect(Clock::time_point now) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(server_.fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
        connect_error_ = error;
        return connect_next(now);
    }
    sockaddr_storage peer{};
    size = sizeof peer;
    if (::getpeername(server_.fd.get(), reinterpret_cast<sockaddr*>(&peer), &size) != 0) return;
    start_relay(now);
}

void Connection::start_relay(Clock::time_point now) {
    send_at_once(server_.fd);
    phase_ = Phase::Relay;
    deadline_ = now + world_.limits.idle;
    addresses_.clear();
    if (door_ != Door::Http) {
        if (answers_) down_.put(std::string_view("\0", 1));
    } else if (request_.kind == Request::Kind::Tunnel) {
        down_.put("HTTP/1.1 200 Connection established\r\n\r\n");
    } else {
        up_ = Flow(Body(request_.framing, request_.length));
        up_.put(request_.forwarded);
        request_.forwarded = std::string();
    }
    if (up_.receive(bytes_) == Progress::Broken) return reset();
    bytes_ = std::string();
    relay(now);
}

void Connection::relay(Clock::time_point now) {
    const Progress up = up_.pump(client_.fd.get(), server_.fd.get());
    const Progress down = down_.pump(server_.fd.get(), client_.fd.get());
    if (up == Progress::Broken || down == Progress::Broken) return reset();
    if (up == Progress::Some || down == Progress::Some) deadline_ = now + world_.limits.idle;
    if (up_.ended() && down_.ended()) return close();
    // The answer is complete; what the client may still send is for nobody.
    if (down_.ended() && request_.kind == Request::Kind::Plain) {
        deadline_ = now + world_.limits.farewell;
        return take_leave();
    }
    watch_relay();
}

void Connection::watch_relay() {
    const auto events = [](const Flow& from, const Flow& to) -> uint32_t {
        return (from.wants_input() ? EPOLLIN : 0U) | (to.has_output() ? EPOLLOUT : 0U);
    };
    if (!world_.poller.want(client_, events(up_, down_)) ||
        !world_.poller.want(server_, events(down_, up_)))
        reset();
}

void Connection::deny(const Denial& denial, Clock::time_point now) {
    world_.denials.note(denial);
    if (door_ == Door::Raw) return fail(ECONNREFUSED, now);
    refuse({403, explanation(denial)}, now);
}

// What a program reads as the error of its own connect.
void Connection::fail(int error, Clock::time_point now) {
    if (!answers_) return reset();
    down_.put(std::string(1, static_cast<char>(error)));
    say_last(now);
}

void Connection::refuse(const Refusal& refusal, Clock::time_point now) {
    if (door_ == Door::Raw) return fail(connect_error_ == 0 ? EHOSTUNREACH : connect_error_, now);
    bytes_ = std::string();
    down_.put(response(refusal));
    say_last(now);
}

void Connection::say_last(Clock::time_point now) {
    down_.finish();
    deadline_ = now + world_.limits.farewell;
    take_leave();
    say_farewell(now);
}

// Reads on, because closing a socket with unread bytes in it is a reset, and a reset can
// overtake the answer.
void Connection::take_leave() {
    phase_ = Phase::Farewell;
    server_.hold({});
    up_ = Flow(Body(Framing::None, 0));
    if (!world_.poller.want(client_, EPOLLIN)) close();
}

void Connection::say_farewell(Clock::time_point) {
    const Progress read = up_.fill(client_.fd.get());
    const Progress written = down_.drain(client_.fd.get());
    if (read == Progress::Broken || written == Progress::Broken) return close();
    if (up_.source_ended() && down_.ended()) return close();
    world_.poller.want(client_,
                       (up_.wants_input() ? EPOLLIN : 0U) | (down_.has_output() ? EPOLLOUT : 0U));
}

void Connection::reset() {
    close_as_reset(client_.fd);
    close_as_reset(server_.fd);
    close();
}

void Connection::close() {
    phase_ = Phase::Closed;
    client_.hold({});
    server_.hold({});
}

}  // namespace husk::proxy
