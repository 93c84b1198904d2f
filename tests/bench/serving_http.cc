#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "child.h"
#include "serving.h"
#include "tool/measure.h"

namespace husk::bench {
namespace {

using Json = nlohmann::json;

// A connection to a server on loopback.
class Wire {
public:
    explicit Wire(uint16_t port)
        : port_(port), fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int on = 1;
        ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            std::fprintf(stderr, "bench: husk serve cannot be reached\n");
    }
    ~Wire() { ::close(fd_); }
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    void ask(const std::string& what, const std::string& body = "") const {
        const std::string text =
            what + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) +
            "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
            "\r\n\r\n" + body;
        if (::write(fd_, text.data(), text.size()) < 0)
            std::fprintf(stderr, "bench: husk serve does not listen\n");
    }
    // What comes before this text, which is read with it; false when it does not come.
    bool read_until(std::string_view end, std::string& before) {
        size_t found = 0;
        while ((found = read_.find(end)) == std::string::npos)
            if (!read_more()) return false;
        before = read_.substr(0, found);
        read_.erase(0, found + end.size());
        return true;
    }
    bool skip_until(std::string_view end) {
        std::string skipped;
        return read_until(end, skipped);
    }
    // Takes and forgets what has come; false at the end.
    bool skip() {
        static char room[1 << 18];  // nobody looks at it
        read_.clear();
        return ::read(fd_, room, sizeof room) > 0;
    }
    int fd() const { return fd_; }
    // The body of an answer that has a length.
    std::string answer() {
        std::string head;
        if (!read_until("\r\n\r\n", head)) return "";
        std::ranges::transform(head, head.begin(),
                               [](unsigned char letter) { return std::tolower(letter); });
        constexpr std::string_view name = "content-length: ";
        const size_t at = head.find(name);
        if (at == std::string::npos) return "";
        size_t length = 0;
        std::from_chars(head.data() + at + name.size(), head.data() + head.size(), length);
        while (read_.size() < length)
            if (!read_more()) return "";
        std::string body = read_.substr(0, length);
        read_.erase(0, length);
        return body;
    }

private:
    bool read_more() {
        char piece[16'384];
        const ssize_t got = ::read(fd_, piece, sizeof piece);
        if (got > 0) read_.append(piece, static_cast<size_t>(got));
        return got > 0;
    }

    uint16_t port_;
    int fd_;
    std::string read_;
};

class Served {
public:
    explicit Served(const std::filesystem::path& state)
        : child_({HUSK_BINARY, "serve", "--listen", "127.0.0.1:0", "--auth", "none", "--mode",
                  "open", "--state", state.string()}) {
        const std::string line = child_.line();
        const char* port = line.data() + line.rfind(':') + 1;
        if (line.empty() ||
            std::from_chars(port, line.data() + line.size(), port_).ec != std::errc())
            std::fprintf(stderr, "bench: husk serve did not start\n");
    }
    uint16_t port() const { return port_; }
    double mib() const { return resident_mib(child_.pid()); }

private:
    Child child_;
    uint16_t port_ = 0;
};

void begin(const Wire& wire, const std::string& command) {
    wire.ask("POST /v1/calls",
             Json{{"tool", "bash"}, {"arguments", {{"command", command}}}}.dump());
}

// What the command wrote that was begun.
std::string output(Wire& wire) {
    const Json call = Json::parse(wire.answer(), nullptr, false);
    const Json::json_pointer where("/result/structuredContent/output");
    if (!call.is_discarded() && call.contains(where)) return call[where];
    std::fprintf(stderr, "bench: husk serve did not run a command\n");
    return "";
}

// From the moment of the write, which the command tells, until a client of events has heard of it.
double first_byte_ms(Wire& calls, Wire& events) {
    begin(calls, "sleep 0.02; t=${EPOCHREALTIME/[.,]/}; echo $t; sleep 0.05");
    events.skip_until("event: shell.output");
    const auto heard = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    events.skip_until("event: shell.gone");
    const std::string wrote = output(calls);
    int64_t at = 0;
    std::from_chars(wrote.data(), wrote.data() + wrote.size(), at);
    return static_cast<double>(heard.count() - at) / 1000;
}

// What `count` connections run as fast as they are answered, in all.
double commands_a_second(const Served& served, size_t connections, size_t count) {
    std::atomic<size_t> begun{0};
    const auto start = std::chrono::steady_clock::now();
    {
        std::vector<std::jthread> clients;
        for (size_t i = 0; i < connections; ++i)
            clients.emplace_back([&] {
                Wire calls(served.port());
                while (begun.fetch_add(1) < count) {
                    begin(calls, "echo $RANDOM");
                    output(calls);
                }
            });
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    return static_cast<double>(count) / took.count();
}

constexpr size_t command_count = 1000;
constexpr size_t until_full = 2500;  // what is kept of the last ones is as much as it gets

void many_commands(std::vector<Figure>& figures, const Served& served) {
    const double before = served.mib();
    figures.push_back({"husk serve, commands one after another",
                       commands_a_second(served, 1, command_count), "/s", 200, false});
    figures.push_back({"  growth by 1000 of them", served.mib() - before, "MiB", 3, true});
}

// Clients of events that listen to every call while they live.
class Streams {
public:
    Streams(const Served& served, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            streams_.push_back(std::make_unique<Wire>(served.port()));
            streams_.back()->ask("GET /v1/events?types=call");
            streams_.back()->skip_until("event: ready");
            polled_.push_back({streams_.back()->fd(), POLLIN, 0});
        }
    }
    // Takes what comes until it shall stop.
    void listen(const std::stop_token& stop) {
        constexpr int patience_ms = 20;
        while (!stop.stop_requested() && ::poll(polled_.data(), polled_.size(), patience_ms) >= 0)
            for (size_t i = 0; i < polled_.size(); ++i)
                if (polled_[i].revents != 0 && !streams_[i]->skip()) polled_[i].fd = -1;
    }
    // How many hear of one more call, and so of all that were before.
    size_t told(const Served& served) {
        const std::string mark = "true mark-" + std::to_string(++marks_);
        Wire calls(served.port());
        begin(calls, mark);
        output(calls);
        return static_cast<size_t>(std::ranges::count_if(
            streams_, [&](const auto& stream) { return stream->skip_until(mark); }));
    }

private:
    std::vector<std::unique_ptr<Wire>> streams_;
    std::vector<pollfd> polled_;
    int marks_ = 0;
};

void streams_and_commands(std::vector<Figure>& figures, const Served& served) {
    constexpr size_t stream_count = 1000;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4096);
    ::setrlimit(RLIMIT_NOFILE, &limit);
    Streams streams(served, stream_count);
    size_t told = streams.told(served);
    figures.push_back({"husk serve with 1000 event streams", served.mib(), "MiB", 20, true});
    const auto run_beside_streams = [&](size_t count) {
        constexpr size_t connections = 4;
        double speed = 0;
        {
            const std::jthread listener([&](const std::stop_token& stop) { streams.listen(stop); });
            speed = commands_a_second(served, connections, count);
        }
        told = std::min(told, streams.told(served));
        return speed;
    };
    run_beside_streams(until_full);
    const double before = served.mib();
    const double speed = run_beside_streams(command_count);
    figures.push_back({"  commands while all of them listen", speed, "/s", 200, false});
    figures.push_back({"  growth by 1000 of them", served.mib() - before, "MiB", 3, true});
    figures.push_back(
        {"  streams that have heard of all", static_cast<double>(told), "", stream_count, false});
}

}  // namespace

void serving_http(std::vector<Figure>& figures, const std::filesystem::path& place, int rounds) {
    const Served served(place / "serve");
    {
        Wire calls(served.port());
        Wire events(served.port());
        events.ask("GET /v1/events?types=shell");
        events.skip_until("event: ready");
        std::vector<double> times;
        for (int round = 0; round < rounds; ++round) times.push_back(first_byte_ms(calls, events));
        figures.push_back({"output to a client of events", tool::median(times), "ms", 5, true});
    }
    streams_and_commands(figures, served);
    many_commands(figures, served);
    end_sessions(place / "serve");
}

}  // namespace husk::bench
