#include "tool/measure.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "os/program.h"

namespace husk::tool {
namespace {

double milliseconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

}  // namespace

void run_bare(const char* command) {
    static const Result<os::Program> bash = os::open_bash();
    if (!bash) return;
    int pipe[2];
    if (::pipe2(pipe, O_CLOEXEC) != 0) return;
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0) return;
    const pid_t child = ::vfork();
    if (child == 0) {
        ::dup2(null, 0);
        ::dup2(pipe[1], 1);
        ::dup2(pipe[1], 2);
        const char* const argv[] = {"bash", "-c", command, nullptr};
        ::syscall(SYS_execveat, bash->file.get(), "", argv, environ, AT_EMPTY_PATH);
        ::_exit(127);
    }
    ::close(pipe[1]);
    ::close(null);
    char buffer[64 * 1024];
    while (::read(pipe[0], buffer, sizeof buffer) > 0) {
    }
    ::close(pipe[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
}

Paired compare(size_t rounds, const std::function<void()>& bare,
               const std::function<void()>& other) {
    std::vector<double> bare_times, other_times, ratios;
    for (size_t i = 0; i < rounds; ++i) {
        bare_times.push_back(milliseconds_of(bare));
        other_times.push_back(milliseconds_of(other));
        ratios.push_back(other_times.back() / bare_times.back());
    }
    return {median(bare_times), median(other_times), median(ratios)};
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[values.size() / 2];
}

}  // namespace husk::tool
