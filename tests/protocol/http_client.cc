#include "http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace husk::test {
namespace {

Json parsed(const std::string& text) {
    Json json = Json::parse(text, nullptr, false);
    EXPECT_FALSE(json.is_discarded()) << text;
    return json;
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(),
                           [](unsigned char letter) { return std::tolower(letter); });
    return text;
}

std::vector<std::string> with_usual(const Husk& husk, const std::vector<std::string>& options) {
    // Closed modes are not to be had on every machine, and are not what is tested here.
    std::vector<std::string> args = {"serve"};
    const std::pair<std::string, std::string> usual[] = {
        {"--mode", "open"}, {"--cwd", husk.dir().string()}, {"--listen", "127.0.0.1:0"}};
    for (const auto& [name, value] : usual)
        if (std::ranges::find(options, name) == options.end())
            args.insert(args.end(), {name, value});
    args.insert(args.end(), options.begin(), options.end());
    return args;
}

}  // namespace

Json HttpAnswer::json() const { return parsed(body); }
Json SseEvent::json() const { return parsed(data); }

HttpWire::HttpWire(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    std::signal(SIGPIPE, SIG_IGN);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0)
        << ::strerror(errno);
}

HttpWire::HttpWire(const std::string& socket_path)
    : fd_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0)
        << ::strerror(errno);
}

HttpWire::~HttpWire() { close(); }

void HttpWire::close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

bool HttpWire::say(std::string_view bytes) const {
    while (!bytes.empty()) {
        const ssize_t wrote = ::write(fd_, bytes.data(), bytes.size());
        if (wrote <= 0) return false;
        bytes.remove_prefix(static_cast<size_t>(wrote));
    }
    return true;
}

bool HttpWire::read_more(Clock::time_point until) {
    if (ended_) return false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    pollfd ready{fd_, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(std::max<int64_t>(left.count(), 0))) <= 0) return false;
    char piece[64 * 1024];
    const ssize_t got = ::read(fd_, piece, sizeof piece);
    ended_ = got <= 0;
    if (!ended_) buffer_.append(piece, static_cast<size_t>(got));
    return !ended_;
}

std::optional<std::string> HttpWire::line(Clock::time_point until) {
    for (;;) {
        const size_t end = buffer_.find("\r\n");
        if (end != std::string::npos) {
            std::string found = buffer_.substr(0, end);
            buffer_.erase(0, end + 2);
            return found;
        }
        if (!read_more(until)) return std::nullopt;
    }
}

HttpAnswer HttpWire::head(std::chrono::milliseconds within) {
    const auto until = Clock::now() + patient(within);
    HttpAnswer answer;
    const auto first = line(until);
    if (!first || !first->starts_with("HTTP/1.1 ")) return answer;
    answer.status = std::stoi(first->substr(9));
    for (auto next = line(until); next && !next->empty(); next = line(until)) {
        const size_t colon = next->find(": ");
        answer.headers[lower(next->substr(0, colon))] = next->substr(colon + 2);
    }
    chunked_ = answer.headers["transfer-encoding"] == "chunked";
    return answer;
}

bool HttpWire::read_chunk(Clock::time_point until) {
    const auto size = line(until);
    if (!size) return false;
    const size_t bytes = std::stoul(*size, nullptr, 16);
    while (buffer_.size() < bytes + 2)
        if (!read_more(until)) return false;
    stream_ += buffer_.substr(0, bytes);
    buffer_.erase(0, bytes + 2);
    return bytes > 0;
}

HttpAnswer HttpWire::answer(std::chrono::milliseconds within) {
    const auto until = Clock::now() + patient(within);
    HttpAnswer answer = head(within);
    if (answer.status == 100) answer = head(within);
    if (answer.status == 0) return answer;
    if (chunked_) {
        while (read_chunk(until)) {
        }
        answer.body = std::exchange(stream_, {});
        return answer;
    }
    const std::string length = answer.headers["content-length"];
    const size_t bytes = length.empty() ? 0 : std::stoul(length);
    while (buffer_.size() < bytes && read_more(until)) {
    }
    answer.body = buffer_.substr(0, bytes);
    buffer_.erase(0, bytes);
    return answer;
}

std::optional<SseEvent> HttpWire::event(std::chrono::milliseconds within) {
    const auto until = Clock::now() + patient(within);
    for (;;) {
        const size_t end = stream_.find("\n\n");
        if (end == std::string::npos) {
            if (!read_chunk(until)) return std::nullopt;
            continue;
        }
        const std::string frame = stream_.substr(0, end + 1);
        stream_.erase(0, end + 2);
        if (frame.starts_with(":")) continue;
        SseEvent event;
        for (const std::string& one : lines_of(frame)) {
            const size_t colon = one.find(": ");
            const std::string name = one.substr(0, colon);
            const std::string value = colon == std::string::npos ? "" : one.substr(colon + 2);
            if (name == "id") event.id = value;
            if (name == "event") event.type = value;
            if (name == "retry") event.retry = value;
            if (name == "data") event.data += (event.data.empty() ? "" : "\n") + value;
        }
        return event;
    }
}

std::optional<SseEvent> HttpWire::event_of(const std::string& type,
                                           std::chrono::milliseconds within) {
    const auto until = Clock::now() + patient(within);
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
        auto next = event(std::max(left, 0ms));
        if (!next || next->type == type) return next;
    }
}

bool HttpWire::is_closed(std::chrono::milliseconds within) {
    const auto until = Clock::now() + patient(within);
    while (read_more(until)) {
    }
    return ended_;
}

HttpServer::HttpServer(const Husk& husk, std::vector<std::string> options)
    : process_(husk, with_usual(husk, options)) {
    for (auto line = process_.line(); line; line = process_.line()) {
        const size_t colon = line->rfind(':');
        if (line->find("listening on ") != std::string::npos)
            port_ = static_cast<uint16_t>(std::stoi(line->substr(colon + 1)));
        if (line->find("listening at ") != std::string::npos && port_ == 0 &&
            std::ranges::find(options, "--listen") == options.end())
            continue;
        const size_t open = line->find("/open/");
        if (open != std::string::npos) link_ = line->substr(open, line->find(' ', open) - open);
        if (open != std::string::npos || line->find("WARNING") != std::string::npos) break;
    }
    EXPECT_NE(port_, 0) << "husk serve does not listen";
    std::error_code ignored;
    const auto file = husk.state() / "http-token";
    if (std::filesystem::exists(file, ignored)) token_ = lines_of(read_text(file)).at(0);
}

HttpServer::~HttpServer() {
    if (port_ == 0) return;
    EXPECT_EQ(stop(), 0) << "husk serve did not end well";
}

std::optional<int> HttpServer::stop() {
    process_.signal(SIGTERM);
    port_ = 0;
    return process_.code(30s);
}

void HttpServer::kill() {
    process_.signal(SIGKILL);
    port_ = 0;
    process_.code(30s);
}

std::string HttpServer::text(const std::string& method, const std::string& path,
                             const std::string& body, const Headers& headers) const {
    std::string all = method + " " + path + " HTTP/1.1\r\n";
    const auto has = [&](const std::string& name) {
        return std::ranges::any_of(headers, [&](const auto& one) { return one.first == name; });
    };
    if (!has("Host")) all += "Host: 127.0.0.1:" + std::to_string(port_) + "\r\n";
    if (!has("Authorization")) all += "Authorization: Bearer " + token_ + "\r\n";
    for (const auto& [name, value] : headers)
        if (!value.empty()) all += name + ": " + value + "\r\n";
    if (!body.empty() || method == "POST")
        all += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return all + "\r\n" + body;
}

HttpAnswer HttpServer::ask(const std::string& method, const std::string& path,
                           const std::string& body, const Headers& headers) const {
    HttpWire wire(port_);
    wire.say(text(method, path, body, headers));
    return wire.answer(60s);
}

namespace {

Json call_of(const std::string& command, Json arguments) {
    arguments["command"] = command;
    return {{"tool", "bash"}, {"arguments", std::move(arguments)}};
}

}  // namespace

Json HttpServer::bash(const std::string& command, Json arguments) const {
    const HttpAnswer answer = post("/v1/calls", call_of(command, std::move(arguments)));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.json();
}

std::string HttpServer::begin(const std::string& command, Json arguments) const {
    Json call = call_of(command, std::move(arguments));
    call["wait"] = false;
    const HttpAnswer answer = post("/v1/calls", call);
    EXPECT_EQ(answer.status, 202) << answer.body;
    return answer.json().value("call_id", "");
}

std::unique_ptr<HttpWire> HttpServer::stream(const std::string& path,
                                             const Headers& headers) const {
    auto wire = std::make_unique<HttpWire>(port_);
    wire->say(text("GET", path, "", headers));
    EXPECT_EQ(wire->head().status, 200);
    return wire;
}

double HttpServer::metric(const std::string& name) const {
    for (const std::string& line : lines_of(get("/metrics").body))
        if (line.starts_with(name + " ")) return std::stod(line.substr(name.size() + 1));
    ADD_FAILURE() << "no metric " << name;
    return -1;
}

uint64_t HttpServer::resident_bytes() const {
    return static_cast<uint64_t>(metric("process_resident_memory_bytes"));
}

uint64_t live_bytes(const HttpServer& server) {
    uint64_t all = 0;
    const Json shells = server.get("/v1/shells?live=true").json();
    for (const Json& shell : shells["shells"])
        all += shell["excerpt"]["total_bytes"].get<uint64_t>();
    return all;
}

}  // namespace husk::test
