#include "descendants.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>

namespace husk::everyday {
namespace {

using Clock = std::chrono::steady_clock;

// Outputs are pipes: a program may behave in another way if its output is a file.
struct Outputs {
    std::array<int, 2> out{-1, -1};
    std::array<int, 2> err{-1, -1};

    Outputs() {
        if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) return;
        for (const int fd : {out[0], err[0]}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
        // Whoever the program runs as may open /dev/stdout again.
        for (const int fd : {out[1], err[1]}) ::fchmod(fd, 0666);
    }
    ~Outputs() {
        for (const int fd : {out[0], out[1], err[0], err[1]})
            if (fd >= 0) ::close(fd);
    }
    Outputs(const Outputs&) = delete;
    Outputs& operator=(const Outputs&) = delete;
    void keep_reading_ends() {
        for (int* fd : {&out[1], &err[1]}) {
            ::close(*fd);
            *fd = -1;
        }
    }
};

pid_t start(const std::vector<std::string>& words, const Outputs& outputs) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    ::setsid();
    const int null = ::open("/dev/null", O_RDONLY);
    ::dup2(null, 0);
    ::dup2(outputs.out[1], 1);
    ::dup2(outputs.err[1], 2);
    ::close_range(3, ~0U, 0);  // what ctest left open
    ::execvp(argv[0], argv.data());
    ::_exit(127);
}

// Takes what there is; false at the end.
bool take(int fd, std::string& text) {
    std::array<char, 65536> buffer;
    ssize_t got = 0;
    while ((got = ::read(fd, buffer.data(), buffer.size())) > 0)
        text.append(buffer.data(), static_cast<size_t>(got));
    return got != 0;
}

}  // namespace

Finished run_to_its_end(const std::vector<std::string>& words, std::chrono::milliseconds limit) {
    Outputs outputs;
    const auto end = Clock::now() + limit;
    const pid_t pid = start(words, outputs);
    outputs.keep_reading_ends();
    const int handle = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    Finished finished;
    bool in_time = true;
    std::array<pollfd, 3> wanted{
        {{handle, POLLIN, 0}, {outputs.out[0], POLLIN, 0}, {outputs.err[0], POLLIN, 0}}};
    while (wanted[0].revents == 0) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
        in_time = left > 0;
        if (!in_time || ::poll(wanted.data(), wanted.size(), static_cast<int>(left)) < 0) break;
        if (!take(outputs.out[0], finished.out)) wanted[1].fd = -1;
        if (!take(outputs.err[0], finished.err)) wanted[2].fd = -1;
    }
    if (!in_time) ::kill(pid, SIGKILL);
    int status = 0;
    ::waitpid(pid, &status, 0);
    ::close(handle);
    take(outputs.out[0], finished.out);
    take(outputs.err[0], finished.err);
    finished.status = !in_time            ? 124
                      : WIFEXITED(status) ? WEXITSTATUS(status)
                                          : 128 + WTERMSIG(status);
    return finished;
}

void end_descendants() {
    const std::string list = "/proc/self/task/" + std::to_string(::getpid()) + "/children";
    for (;;) {
        std::ifstream children(list);
        for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
        if (::waitpid(-1, nullptr, 0) < 0 && errno == ECHILD) return;
    }
}

}  // namespace husk::everyday
