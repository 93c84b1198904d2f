#include "proxy/lookup.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace husk::proxy {
namespace {

constexpr auto one_attempt = std::chrono::seconds(3);
constexpr auto for_the_slower = std::chrono::seconds(1);
constexpr size_t rounds = 2;
constexpr size_t longest_file = size_t{4} << 20;

// They are small and local, and may change while we live: so they are read each time.
std::string content(const std::string& path) {
    std::string text;
    const os::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    char chunk[4096];
    while (file && text.size() < longest_file) {
        const ssize_t got = ::read(file.get(), chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        text.append(chunk, static_cast<size_t>(got));
    }
    return text;
}

// Nobody who does not see our question can forge its answer: the number and the port are new
// each time.
uint16_t random_id() {
    uint16_t id = 0;
    while (::getrandom(&id, sizeof id, 0) != sizeof id) continue;
    return id;
}

bool would_block() { return errno == EAGAIN || errno == EINTR; }

}  // namespace

Query::Query(const Poller& poller, std::vector<Address> servers, uint16_t port, Question question,
             uint64_t tag)
    : poller_(poller), servers_(std::move(servers)), port_(port), question_(std::move(question)) {
    socket_.tag = tag;
}

void Query::ask_next(Clock::time_point now) {
    deadline_ = now + one_attempt;
    while (attempt_ < rounds * servers_.size()) {
        over_tcp_ = sent_ = false;
        ++attempt_;
        if (ask(SOCK_DGRAM)) return;
    }
    end();
}

void Query::end() {
    ended_ = true;
    socket_.hold({});
}

bool Query::ask(int type) {
    const Address& server = servers_[(attempt_ - 1) % servers_.size()];
    const SocketAddress address = socket_address(server, port_);
    socket_.hold(os::Fd(::socket(address.value.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)));
    received_.clear();
    if (!socket_.fd) return false;
    // From here on the kernel drops datagrams that come from elsewhere.
    if (::connect(socket_.fd.get(), address.generic(), address.size) != 0 && errno != EINPROGRESS)
        return false;
    if (type == SOCK_STREAM) return poller_.want(socket_, EPOLLOUT);
    const std::string message = encode(question_);
    return ::send(socket_.fd.get(), message.data(), message.size(), MSG_NOSIGNAL) > 0 &&
           poller_.want(socket_, EPOLLIN);
}

void Query::on_ready(Clock::time_point now) {
    if (ended_) return;
    if (!over_tcp_) return read_datagram(now);
    return sent_ ? read_stream(now) : send_over_tcp(now);
}

void Query::on_time(Clock::time_point now) {
    if (!ended_ && deadline_ <= now) ask_next(now);
}

void Query::read_datagram(Clock::time_point now) {
    char message[4096];
    const ssize_t got = ::recv(socket_.fd.get(), message, sizeof message, 0);
    if (got < 0 && would_block()) return;
    // Most often ECONNREFUSED: there is no server.
    if (got < 0) return ask_next(now);
    take({message, static_cast<size_t>(got)}, now);
}

void Query::send_over_tcp(Clock::time_point now) {
    const std::string message = encode(question_);
    std::string framed = {static_cast<char>(message.size() >> 8),
                          static_cast<char>(message.size() & 0xff)};
    framed += message;
    const ssize_t put = ::send(socket_.fd.get(), framed.data(), framed.size(), MSG_NOSIGNAL);
    if (put < 0 && would_block()) return;
    // A new connection takes a few hundred bytes at once.
    if (put != static_cast<ssize_t>(framed.size())) return ask_next(now);
    sent_ = true;
    poller_.want(socket_, EPOLLIN);
}

void Query::read_stream(Clock::time_point now) {
    char chunk[4096];
    const ssize_t got = ::recv(socket_.fd.get(), chunk, sizeof chunk, 0);
    if (got < 0 && would_block()) return;
    if (got <= 0) return ask_next(now);
    received_.append(chunk, static_cast<size_t>(got));
    if (received_.size() < 2) return;
    const auto at = [&](size_t i) { return static_cast<unsigned char>(received_[i]); };
    const size_t size = static_cast<size_t>(at(0)) << 8 | at(1);
    if (received_.size() >= 2 + size) take(std::string_view(received_).substr(2, size), now);
}

void Query::take(std::string_view message, Clock::time_point now) {
    auto answer = decode(message, question_);
    if (answer) {
        found_ = *std::move(answer);
        return end();
    }
    if (answer.error() == NoAnswer::NotOurs && !over_tcp_) return;
    if (answer.error() == NoAnswer::Truncated && !over_tcp_) {
        over_tcp_ = true;
        if (ask(SOCK_STREAM)) return;
    }
    ask_next(now);
}

Lookup::Lookup(const Poller& poller, const Sources& sources, const std::string& name,
               std::array<uint64_t, 2> tags, Clock::time_point now)
    : from_hosts_(find_in_hosts(content(sources.hosts), name)) {
    if (from_hosts_.empty()) {
        const std::vector<Address> servers = name_servers(content(sources.resolv_conf));
        queries_.reserve(tags.size());
        for (const RecordType type : {RecordType::A, RecordType::Aaaa}) {
            const Question question{.id = random_id(), .name = name, .type = type};
            queries_.emplace_back(poller, servers, sources.port, question, tags[queries_.size()]);
            queries_.back().start(now);
        }
    }
    see(now);
}

void Lookup::on_ready(size_t which, Clock::time_point now) {
    if (which < queries_.size()) queries_[which].on_ready(now);
    see(now);
}

void Lookup::on_time(Clock::time_point now) {
    for (Query& query : queries_) query.on_time(now);
    see(now);
}

void Lookup::see(Clock::time_point now) {
    const bool all_ended = std::ranges::all_of(queries_, &Query::ended);
    if (!patience_ && !addresses().empty()) patience_ = now + for_the_slower;
    ended_ = all_ended || (patience_ && *patience_ <= now);
}

Clock::time_point Lookup::deadline() const {
    Clock::time_point first = patience_.value_or(Clock::time_point::max());
    for (const Query& query : queries_)
        if (!query.ended()) first = std::min(first, query.deadline());
    return first;
}

std::vector<Address> Lookup::addresses() const {
    std::vector<Address> all = from_hosts_;
    for (const Query& query : queries_)
        all.insert(all.end(), query.found().begin(), query.found().end());
    return all;
}

}  // namespace husk::proxy
