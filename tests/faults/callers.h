// The ways into Husk, each a process that can be killed: `husk run`, `husk mcp`, `husk serve`, and
// a program that embeds the library.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "jobs.h"
#include "protocol/http_client.h"
#include "scenarios/harness.h"

namespace husk::test {

enum class Way { Run, Library, Mcp, Serve };

// A session as a call asks for it.
struct Wanted {
    std::string session = {};  // empty: of its own
    std::string mode = "open";
    std::string network = {};  // empty: none
    std::vector<std::string> options() const;
};

struct Call {
    Job job;
    Way way = Way::Run;
    Wanted wanted;
    bool background = false;
    pid_t caller = 0;                 // for Mcp and Serve the server
    bool is_abandoned = false;        // its caller was killed before the answer was read
    std::optional<Json> answer = {};  // with status, exit_code, shell_id and notes, as far as told

    std::filesystem::path out = {};  // what the caller prints
    std::unique_ptr<HttpWire> wire = {};
    int request = 0;  // to the MCP server
};

// `husk mcp` with its answers in a file, so that nobody has to read while it talks.
class McpServer {
public:
    McpServer(const Husk& husk, const std::string& mode, const std::filesystem::path& work,
              std::filesystem::path out);
    ~McpServer();
    McpServer(const McpServer&) = delete;
    McpServer& operator=(const McpServer&) = delete;

    void bash(int id, const Json& arguments) const;
    std::optional<Json> answer(int id) const;
    pid_t pid() const { return pid_; }
    void kill();

private:
    pid_t pid_ = 0;
    int in_ = -1;
    std::filesystem::path out_;
};

class Callers {
public:
    // `in_child` is called in every child that is about to become a caller.
    Callers(const Husk& husk, Who who, std::filesystem::path work, std::string server_mode,
            std::function<void()> in_child);

    void start(Call& call);
    // Waits for what the caller says. False: it neither answered nor ended in time.
    bool settle(Call& call, std::chrono::milliseconds within);

    const std::string& server_mode() const { return server_mode_; }
    // Starts the server if it is not there; its pid.
    pid_t mcp();
    pid_t serve();
    std::vector<pid_t> servers() { return {mcp(), serve()}; }
    // After they have been killed: they are started again when they are needed.
    void forget(pid_t killed, std::vector<Call>& calls);
    void stop_servers();

private:
    void start_run(Call& call);
    void start_library(Call& call);
    void read_run(Call& call) const;

    const Husk& husk_;
    Who who_;
    std::filesystem::path work_;
    std::string server_mode_;
    std::function<void()> in_child_;
    std::unique_ptr<McpServer> mcp_;
    std::unique_ptr<HttpServer> serve_;
    int servers_ = 0;
    int requests_ = 0;
};

// Starts a program with its output in a file, and its errors in another.
pid_t spawn_into(const std::vector<std::string>& argv, const std::filesystem::path& out,
                 int in = -1, const std::function<void()>& in_child = {});
// Waits for a child without complaining: its exit code, 128+S for a signal.
std::optional<int> ended_within(pid_t child, std::chrono::milliseconds within);

}  // namespace husk::test
