#include "place/warden_processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace husk::place::warden {
namespace {

// More than these are met again when these are gone.
constexpr size_t most_processes = 16 * 1024;
Process processes[most_processes];
bool in_tree[most_processes];

bool read_process(const char* name, Process& process) {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%.20s/stat", name);
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    char text[512];
    const ssize_t size = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    if (size <= 0) return false;
    text[size] = '\0';
    // The name in parentheses may hold anything, parentheses too.
    const char* behind = std::strrchr(text, ')');
    if (behind == nullptr) return false;
    process.pid = static_cast<pid_t>(std::strtol(name, nullptr, 10));
    return std::sscanf(behind, ") %c %d", &process.state, &process.parent) == 2;
}

bool has_children() {
    pid_t ended = 0;
    while ((ended = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    return ended == 0 || errno != ECHILD;
}

time_t seconds_now() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

}  // namespace

std::span<const Process> look_around() {
    size_t count = 0;
    DIR* proc = ::opendir("/proc");
    if (proc == nullptr) return {};
    while (const dirent* entry = ::readdir(proc)) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        if (count == most_processes) break;
        if (read_process(entry->d_name, processes[count])) ++count;
    }
    ::closedir(proc);
    return {processes, count};
}

void signal_tree(int signal) {
    const std::span<const Process> all = look_around();
    const pid_t self = ::getpid();
    std::memset(in_tree, 0, sizeof in_tree);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < all.size(); ++i) {
            if (in_tree[i]) continue;
            bool belongs = all[i].parent == self;
            for (size_t j = 0; j < all.size() && !belongs; ++j)
                belongs = in_tree[j] && all[j].pid == all[i].parent;
            in_tree[i] = belongs;
            more = more || belongs;
        }
    }
    for (size_t i = 0; i < all.size(); ++i) {
        if (!in_tree[i]) continue;
        ::kill(all[i].pid, signal);
        // A stopped process does not hear what it is asked.
        if (signal != SIGKILL) ::kill(all[i].pid, SIGCONT);
    }
}

void kill_tree() {
    constexpr time_t patience = 2;
    const time_t give_up = seconds_now() + patience;
    // In rounds without a pause, because what forks meanwhile was not seen.
    while (has_children()) {
        signal_tree(SIGKILL);
        if (seconds_now() <= give_up) continue;
        // Nobody can fork away from this one: the kernel reaches all of them at once.
        ::kill(-1, SIGKILL);
        const timespec soon = {0, 10'000'000};
        ::nanosleep(&soon, nullptr);
    }
}

}  // namespace husk::place::warden
