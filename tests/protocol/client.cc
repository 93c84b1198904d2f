#include "client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

namespace husk::test {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

Client::Client(const Husk& husk, std::vector<std::string> options, const std::string& errors) {
    std::signal(SIGPIPE, SIG_IGN);
    std::vector<std::string> args = {"mcp"};
    const auto add_unless_given = [&](const std::string& option, const std::string& value) {
        if (std::ranges::find(options, option) == options.end())
            args.insert(args.end(), {option, value});
    };
    // Closed modes are not to be had on every machine, and are seldom what is tested here.
    add_unless_given("--mode", "open");
    add_unless_given("--cwd", husk.dir().string());
    args.insert(args.end(), options.begin(), options.end());
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) {
        ADD_FAILURE() << "no pipes";
        return;
    }
    std::vector<std::string> argv = husk.argv(args);
    std::vector<char*> words;
    words.reserve(argv.size() + 1);
    for (std::string& word : argv) words.push_back(word.data());
    words.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        if (!errors.empty()) ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), 2);
        ::execvp(words[0], words.data());
        ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
}

Client::~Client() {
    close_input();
    stop_reading();
    if (pid_ > 0 && !exit_code()) {
        ADD_FAILURE() << "the server did not end with its input";
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
}

void Client::say(const std::string& line) const {
    const std::string text = line + "\n";
    for (size_t at = 0; at < text.size();) {
        const ssize_t wrote = ::write(in_, text.data() + at, text.size() - at);
        if (wrote <= 0) return;
        at += static_cast<size_t>(wrote);
    }
}

void Client::request(const Json& id, const std::string& method, const Json& params) const {
    say(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

void Client::notify(const std::string& method, const Json& params) const {
    say(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

void Client::bash(const Json& id, const std::string& command, Json arguments,
                  const Json& meta) const {
    arguments["command"] = command;
    Json params = {{"name", "bash"}, {"arguments", std::move(arguments)}};
    if (!meta.is_null()) params["_meta"] = meta;
    request(id, "tools/call", params);
}

Json Client::initialize(const std::string& version, const Json& capabilities) {
    const Json answer = ask("initialize", "initialize",
                            {{"protocolVersion", version},
                             {"capabilities", capabilities},
                             {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
    notify("notifications/initialized");
    return answer;
}

std::optional<std::string> Client::line(std::chrono::milliseconds within) {
    const auto end = Clock::now() + patient(within);
    for (;;) {
        if (const size_t newline = buffer_.find('\n'); newline != std::string::npos) {
            std::string line = buffer_.substr(0, newline);
            buffer_.erase(0, newline + 1);
            return line;
        }
        pollfd wanted{out_, POLLIN, 0};
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        if (left <= 0 || ::poll(&wanted, 1, static_cast<int>(left)) <= 0) return std::nullopt;
        char bytes[65536];
        const ssize_t got = ::read(out_, bytes, sizeof bytes);
        if (got <= 0) return std::nullopt;
        buffer_.append(bytes, static_cast<size_t>(got));
    }
}

Json Client::next(std::chrono::milliseconds within) {
    const auto text = line(within);
    EXPECT_TRUE(text) << "no message came";
    if (!text) return nullptr;
    Json message = Json::parse(*text, nullptr, false);
    EXPECT_FALSE(message.is_discarded()) << "not a message: " << *text;
    return message;
}

Json Client::answer(const Json& id, std::chrono::milliseconds within) {
    for (const auto end = Clock::now() + patient(within);;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
        Json message = next(left);
        if (!message.is_object()) return message;
        const bool is_answer = !message.contains("method");
        if (is_answer && message.value("id", Json()) == id) return message;
        if (!is_answer) passed_over_.push_back(std::move(message));
    }
}

Json Client::notification(const std::string& method, std::chrono::milliseconds within) {
    while (!passed_over_.empty()) {
        const Json message = std::move(passed_over_.front());
        passed_over_.pop_front();
        if (message.value("method", "") == method) return message["params"];
    }
    for (const auto end = Clock::now() + patient(within);;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
        const Json message = next(left);
        if (message.is_null()) return message;
        if (message.value("method", "") == method) return message["params"];
    }
}

std::string Client::background(const std::string& command) {
    const std::string id = "background-" + std::to_string(++pings_);
    bash(id, command, {{"run_in_background", true}});
    return answer(id)["result"]["structuredContent"]["shell_id"];
}

Json Client::ask(const Json& id, const std::string& method, const Json& params) {
    request(id, method, params);
    return answer(id);
}

bool Client::is_silent_about(const Json& id) {
    const std::string ping = "ping-" + std::to_string(++pings_);
    request(ping, "ping");
    for (;;) {
        const Json message = next();
        if (message.is_null() || message.value("id", Json()) == id) return false;
        if (message.value("id", Json()) == ping) return true;
    }
}

void Client::close_input() {
    if (in_ >= 0) ::close(in_);
    in_ = -1;
}

void Client::stop_reading() {
    if (out_ >= 0) ::close(out_);
    out_ = -1;
}

std::optional<int> Client::exit_code(std::chrono::milliseconds within) {
    int status = 0;
    const bool ended =
        eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; }, within);
    if (!ended) return std::nullopt;
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Client::kill(int signal) const { ::kill(pid_, signal); }

Json meta_2026(const Json& capabilities) {
    return {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
            {"io.modelcontextprotocol/clientInfo", {{"name", "test"}, {"version", "1"}}},
            {"io.modelcontextprotocol/clientCapabilities", capabilities}};
}

}  // namespace husk::test
