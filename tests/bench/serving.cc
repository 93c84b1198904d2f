#include "serving.h"

#include <chrono>
#include <cstdio>

#include "child.h"
#include "tool/measure.h"

namespace husk::bench {
namespace {

constexpr std::string_view hello =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
    R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})"
    "\n";
constexpr std::string_view call =
    R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bash",)"
    R"("arguments":{"command":"true"}}})"
    "\n";

std::vector<std::string> command_line(const std::filesystem::path& state) {
    return {HUSK_BINARY, "mcp", "--mode", "open", "--state", state.string()};
}

// From before it is started until the first line has come.
double start_to_first_answer_ms(const std::filesystem::path& state) {
    const auto start = std::chrono::steady_clock::now();
    Child mcp(command_line(state));
    mcp.say(hello);
    if (mcp.line().empty()) std::fprintf(stderr, "bench: husk mcp did not answer\n");
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - start;
    return passed.count();
}

}  // namespace

void serving(std::vector<Figure>& figures, const std::filesystem::path& place, int rounds) {
    const std::filesystem::path state = place / "mcp";
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) times.push_back(start_to_first_answer_ms(state));
    figures.push_back(
        {"start of husk mcp to its first answer", tool::median(times), "ms", 20, true});

    Child mcp(command_line(state));
    mcp.say(hello);
    mcp.line();
    std::string answer;
    const auto ask = [&] {
        mcp.say(call);
        answer = mcp.line();
    };
    ask();
    const auto paired =
        tool::compare(static_cast<size_t>(rounds) * 10, [] { tool::run_bare("true"); }, ask);
    if (answer.find(R"("exit_code":0)") == std::string::npos)
        std::fprintf(stderr, "bench: husk mcp did not run a command: %s\n", answer.c_str());
    figures.push_back({"a call of true, husk mcp / bare", paired.ratio, "x", 1.3, true});
    figures.push_back({"  husk mcp", paired.other_ms, "ms", 0, true});
    end_sessions(state);
}

}  // namespace husk::bench
