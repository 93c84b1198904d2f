// A client that speaks to `husk mcp` line by line, also what no real client would say.
#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/harness.h"

namespace husk::test {

using Json = nlohmann::json;

// The capabilities of a client whose user can be asked.
inline const Json asks = {{"elicitation", Json::object()}};

// A server of its own, which ends with the client.
class Client {
public:
    // In mode open and in husk.dir(), unless the options say otherwise. Standard error goes to that
    // of the test, or to a file.
    explicit Client(const Husk& husk, std::vector<std::string> options = {},
                    const std::string& errors = "");
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // As they are, with a newline.
    void say(const std::string& line) const;
    void say(const Json& message) const { say(message.dump()); }
    void request(const Json& id, const std::string& method,
                 const Json& params = Json::object()) const;
    void notify(const std::string& method, const Json& params = Json::object()) const;
    // tools/call of `bash`.
    void bash(const Json& id, const std::string& command, Json arguments = Json::object(),
              const Json& meta = nullptr) const;
    // The handshake of the era of connections; the server's answer.
    Json initialize(const std::string& version = "2025-11-25",
                    const Json& capabilities = Json::object());

    // The next message; null, and a failed test, when none comes.
    Json next(std::chrono::milliseconds within = 30s);
    // The next one that answers this request; other answers that come first are dropped.
    Json answer(const Json& id, std::chrono::milliseconds within = 30s);
    // The params of the next notification of this kind; what else comes first is dropped.
    Json notification(const std::string& method, std::chrono::milliseconds within = 30s);
    // Both at once.
    Json ask(const Json& id, const std::string& method, const Json& params = Json::object());
    // Whether nothing comes that answers this, by the time that a ping is answered.
    bool is_silent_about(const Json& id);
    // `run_in_background`; its id.
    std::string background(const std::string& command);

    void close_input();
    void stop_reading();
    std::optional<int> exit_code(std::chrono::milliseconds within = 20s);
    void kill(int signal) const;
    pid_t pid() const { return pid_; }

private:
    std::optional<std::string> line(std::chrono::milliseconds within);

    pid_t pid_ = 0;
    int in_ = -1;
    int out_ = -1;
    std::string buffer_;
    std::deque<Json> passed_over_;  // notifications that came before an answer
    int pings_ = 0;
};

// The `_meta` of a request in the era without connections.
Json meta_2026(const Json& capabilities = Json::object());

}  // namespace husk::test
