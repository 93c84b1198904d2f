#include "serving.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string_view>

#include "tool/measure.h"

namespace husk::bench {
namespace {

// From before it is started until the first line has come.
double start_to_first_answer_ms() {
    constexpr std::string_view hello =
        R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
        R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})"
        "\n";
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return 0;
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = ::vfork();
    if (child == 0) {
        ::dup2(in[0], 0);
        ::dup2(out[1], 1);
        ::execl(HUSK_BINARY, "husk", "mcp", "--mode", "open", nullptr);
        ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    char answer[4096];
    if (::write(in[1], hello.data(), hello.size()) < 0 || ::read(out[0], answer, 1) <= 0)
        std::fprintf(stderr, "bench: husk mcp did not answer\n");
    const std::chrono::duration<double, std::milli> passed =
        std::chrono::steady_clock::now() - start;
    ::close(in[1]);
    ::waitpid(child, nullptr, 0);
    ::close(out[0]);
    return passed.count();
}

}  // namespace

void serving(std::vector<Figure>& figures, int rounds) {
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) times.push_back(start_to_first_answer_ms());
    figures.push_back(
        {"start of husk mcp to its first answer", tool::median(times), "ms", 20, true});
}

}  // namespace husk::bench
