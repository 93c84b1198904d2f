// Taking more than a fair share; small bombs that end themselves.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "probe.h"

namespace probe {
namespace {

// So many children at once, for a second. All are gone when this process is.
int children(Arguments a) {
    const int wanted = number(a[0]);
    int made = 0;
    for (; made < wanted; ++made) {
        const pid_t pid = ::fork();
        if (pid < 0) break;
        if (pid == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            constexpr unsigned life = 5;
            ::alarm(life);
            for (;;) ::pause();
        }
    }
    // Longer than anybody who counts now and then takes to notice.
    if (made == wanted) ::sleep(1);
    const int result = made == wanted ? reveal() : refused(std::to_string(made) + " children");
    std::fflush(stdout);
    return result;  // and with it they die
}

int descriptors(Arguments a) {
    const int wanted = number(a[0]);
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < static_cast<rlim_t>(wanted)) return absent("a limit as high as that");
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    for (int i = 0; i < wanted; ++i)
        if (::dup(1) < 0) return refused(std::to_string(i) + " descriptors");
    return reveal();
}

// A hole, not bytes.
int big_file(Arguments a) {
    std::signal(SIGXFSZ, SIG_IGN);
    const int fd = ::open(a[0].c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0) return refused("open");
    constexpr off_t five_gib = off_t{5} << 30;
    const bool made = ::ftruncate(fd, five_gib) == 0;
    const int why = errno;
    ::unlink(a[0].c_str());
    errno = why;
    return made ? reveal() : refused("ftruncate");
}

int core_limit(Arguments) {
    rlimit limit{};
    ::getrlimit(RLIMIT_CORE, &limit);
    errno = EPERM;
    return limit.rlim_max > 0 ? reveal() : refused("RLIMIT_CORE");
}

int real_time(Arguments) {
    sched_param parameters{};
    parameters.sched_priority = 1;
    if (::sched_setscheduler(0, SCHED_FIFO, &parameters) != 0) return refused("sched_setscheduler");
    return reveal();
}

int first_in_line(Arguments) {
    return ::setpriority(PRIO_PROCESS, 0, -5) == 0 ? reveal() : refused("setpriority");
}

int locked_memory(Arguments) {
    constexpr size_t size = size_t{64} << 20;
    void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return refused("mmap");
    return ::mlock(at, size) == 0 ? reveal() : refused("mlock");
}

// What runtimes with large heaps do: it must go on working.
int reserve(Arguments) {
    constexpr size_t one_tib = size_t{1} << 40;
    const void* at =
        ::mmap(nullptr, one_tib, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at != MAP_FAILED ? reveal() : refused("mmap");
}

constexpr Verb verbs[] = {
    {"children", children},           {"descriptors", descriptors},
    {"big-file", big_file},           {"core-limit", core_limit},
    {"real-time", real_time},         {"first-in-line", first_in_line},
    {"locked-memory", locked_memory}, {"reserve", reserve},
};

}  // namespace

std::span<const Verb> bomb_verbs() { return verbs; }

}  // namespace probe
