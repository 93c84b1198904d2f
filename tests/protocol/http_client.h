// `husk serve` and clients of it: on real sockets, byte by byte, also what no real client would
// say.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/harness.h"

namespace husk::test {

using Json = nlohmann::json;
using Headers = std::vector<std::pair<std::string, std::string>>;

struct HttpAnswer {
    int status = 0;                                   // 0: none came
    std::map<std::string, std::string> headers = {};  // names in lower case
    std::string body = {};

    Json json() const;  // fails the test when it is none
};

struct SseEvent {
    std::string id;
    std::string type;
    std::string data;
    std::string retry = {};

    Json json() const;
};

// One connection.
class HttpWire {
public:
    explicit HttpWire(uint16_t port);
    explicit HttpWire(const std::string& socket_path);
    ~HttpWire();
    HttpWire(const HttpWire&) = delete;
    HttpWire& operator=(const HttpWire&) = delete;

    bool say(std::string_view bytes) const;
    // The next answer, to its end.
    HttpAnswer answer(std::chrono::milliseconds within = 30s);
    // Its head alone; then, of a stream, one event after the other.
    HttpAnswer head(std::chrono::milliseconds within = 30s);
    std::optional<SseEvent> event(std::chrono::milliseconds within = 30s);
    // Comments that came where an event could have come do not count.
    std::optional<SseEvent> event_of(const std::string& type,
                                     std::chrono::milliseconds within = 30s);
    // Whether the server has closed it, and nothing came before that which was not asked for.
    bool is_closed(std::chrono::milliseconds within = 30s);
    void close();
    int fd() const { return fd_; }

private:
    using Clock = std::chrono::steady_clock;
    bool read_more(Clock::time_point until);
    std::optional<std::string> line(Clock::time_point until);
    bool read_chunk(Clock::time_point until);

    int fd_ = -1;
    bool ended_ = false;
    bool chunked_ = false;
    std::string buffer_;  // as it came
    std::string stream_;  // out of chunks
};

// A server of its own at a port that was free.
class HttpServer {
public:
    explicit HttpServer(const Husk& husk, std::vector<std::string> options = {});
    ~HttpServer();

    uint16_t port() const { return port_; }
    const std::string& token() const { return token_; }
    const std::string& link() const { return link_; }  // the path of the one that was printed

    // With Host and, unless one of the headers is Authorization, the token.
    std::string text(const std::string& method, const std::string& path,
                     const std::string& body = "", const Headers& headers = {}) const;
    HttpAnswer ask(const std::string& method, const std::string& path, const std::string& body = "",
                   const Headers& headers = {}) const;
    HttpAnswer get(const std::string& path, const Headers& headers = {}) const {
        return ask("GET", path, "", headers);
    }
    HttpAnswer post(const std::string& path, const Json& body, const Headers& headers = {}) const {
        return ask("POST", path, body.dump(), headers);
    }
    // POST /v1/calls of `bash`, and waits for it.
    Json bash(const std::string& command, Json arguments = Json::object()) const;
    // The same without waiting: its id.
    std::string begin(const std::string& command, Json arguments = Json::object()) const;
    // A connection that has asked for a stream and read its head.
    std::unique_ptr<HttpWire> stream(const std::string& path, const Headers& headers = {}) const;

    // SIGTERM; its exit code.
    std::optional<int> stop();
    void kill();
    pid_t pid() const { return process_.pid(); }
    uint64_t resident_bytes() const;
    double metric(const std::string& name) const;

private:
    Live process_;
    uint16_t port_ = 0;
    std::string token_;
    std::string link_;
};

// What all shells that live have written so far.
uint64_t live_bytes(const HttpServer& server);

}  // namespace husk::test
