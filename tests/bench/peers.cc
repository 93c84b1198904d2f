// The same call beside other MCP servers that run commands. They are installed when this is run,
// below the build directory, and run in a directory of their own: some write logs where they stand.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>

#include "child.h"
#include "serving.h"
#include "tool/measure.h"

namespace husk::bench {
namespace {

struct Peer {
    const char* name;           // of its folder, and of its program
    const char* surroundings;   // NAME=VALUE with spaces between
    const char* call;           // the params of tools/call
    const char* compiled = "";  // a module of it that has to be
    const char* options = "";
    const char* settings_file = "";  // below its home
    const char* settings = "";
};

constexpr std::array peers = {
    Peer{.name = "mcp-server-commands",
         .surroundings = "",
         .call = R"({"name":"run_command","arguments":{"command":"true"}})"},
    Peer{.name = "mcp-shell-server",
         .surroundings = "MCP_SHELL_SECURITY_MODE=permissive MCP_SHELL_ENHANCED_MODE=false",
         .call = R"({"name":"shell_execute","arguments":{"command":"true","comment":"bench",)"
                 R"("execution_mode":"foreground"}})",
         .compiled = "node-pty"},
    Peer{.name = "desktop-commander",
         .surroundings = "",
         .call = R"({"name":"start_process","arguments":{"command":"true","timeout_ms":5000}})",
         .options = "--no-onboarding",
         .settings_file = ".claude-server-commander/config.json",
         .settings = R"({"telemetryEnabled":false})"},
};

// A server that has been greeted.
class Mcp {
public:
    explicit Mcp(std::vector<std::string> argv) : child_(std::move(argv)) {
        ask("initialize", R"({"protocolVersion":"2025-06-18","capabilities":{},)"
                          R"("clientInfo":{"name":"bench","version":"1"}})");
        child_.say(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
                   "\n");
    }
    // Empty when it has gone; whatever else it says is left out.
    std::string ask(const std::string& method, const std::string& params) {
        const std::string id = R"("id":)" + std::to_string(++asked_);
        child_.say(R"({"jsonrpc":"2.0",)" + id + R"(,"method":")" + method + R"(","params":)" +
                   params + "}\n");
        std::string answer;
        do answer = child_.line();
        while (!answer.empty() && answer.find(id) == std::string::npos);
        return answer;
    }

private:
    Child child_;
    int asked_ = 0;
};

bool ran(const std::string& answer) {
    return answer.find(R"("result")") != std::string::npos &&
           answer.find(R"("isError":true)") == std::string::npos;
}

std::string folder_of(const Peer& peer) {
    return std::string(HUSK_BUILD_DIR "/peers/") + peer.name;
}

bool install(const Peer& peer) {
    const char* script = HUSK_SOURCE_DIR "/tests/bench/peers/install.sh";
    const std::string to = folder_of(peer);
    const pid_t child = ::vfork();
    if (child == 0) {
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
        ::execl(script, script, peer.name, to.c_str(), peer.compiled, nullptr);
        ::_exit(127);
    }
    int status = 1;
    return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

std::vector<std::string> command_line(const Peer& peer, const std::filesystem::path& home) {
    const std::string program =
        std::string(HUSK_BUILD_DIR "/peers/") + peer.name + "/node_modules/.bin/" + peer.name;
    const std::string words = "cd '" + home.string() + "' && exec env HOME='" + home.string() +
                              "' " + peer.surroundings + " '" + program + "' " + peer.options +
                              " 2>/dev/null";
    return {"/bin/sh", "-c", words};
}

// How much longer a call takes than with husk; none when there is nothing to measure.
std::optional<double> measure(const Peer& peer, Mcp& husk, const std::filesystem::path& home,
                              int rounds) {
    if (!install(peer)) return std::nullopt;
    if (*peer.settings_file != '\0') {
        const std::filesystem::path file = home / peer.settings_file;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << peer.settings;
    }
    Mcp other(command_line(peer, home));
    const std::string own = R"({"name":"bash","arguments":{"command":"true"}})";
    if (!ran(husk.ask("tools/call", own)) || !ran(other.ask("tools/call", peer.call)))
        return std::nullopt;
    return tool::compare(
               static_cast<size_t>(rounds), [&] { husk.ask("tools/call", own); },
               [&] { other.ask("tools/call", peer.call); })
        .ratio;
}

}  // namespace

void serving_beside_peers(std::vector<Figure>& figures, const std::filesystem::path& place,
                          int rounds) {
    std::signal(SIGPIPE, SIG_IGN);  // one that cannot be started does not listen
    const std::filesystem::path state = place / "beside";
    const std::filesystem::path home = place / "home";
    std::filesystem::create_directories(home);
    {
        Mcp husk({HUSK_BINARY, "mcp", "--mode", "open", "--state", state.string()});
        for (const Peer& peer : peers)
            figures.push_back({std::string("a call of true, ") + peer.name + " / husk mcp",
                               measure(peer, husk, home, rounds).value_or(missing), "x", 0, true});
    }
    end_sessions(state);
}

}  // namespace husk::bench
