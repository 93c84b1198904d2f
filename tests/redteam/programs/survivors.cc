// Outliving the command. Whatever survives, waits half a minute at most.
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

#include "probe.h"

namespace probe {
namespace {

constexpr unsigned life = 30;

void leave_output() {
    const int null = ::open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) ::dup2(null, fd);
}

[[noreturn]] void wait_for_the_end() {
    ::alarm(life);
    for (;;) ::pause();
}

int idle(Arguments) {
    leave_output();
    wait_for_the_end();
}

int stubborn(Arguments) {
    for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1})
        std::signal(signal, SIG_IGN);
    leave_output();
    wait_for_the_end();
}

int stopped(Arguments) {
    if (::fork() != 0) return done;
    ::setsid();  // else it would be told when its group loses its last parent
    leave_output();
    ::alarm(life);
    ::raise(SIGSTOP);
    wait_for_the_end();
}

int twice_forked(Arguments) {
    if (::fork() != 0) return done;
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    leave_output();
    wait_for_the_end();
}

// A sister instead of a child: it hangs on the parent of this process.
int sister(Arguments) {
    const long pid = ::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, 0);
    if (pid != 0) return pid > 0 ? done : refused("clone");
    ::setsid();
    leave_output();
    wait_for_the_end();
}

// A reaper of its own, that keeps what it has.
int own_reaper(Arguments) {
    if (::fork() != 0) return done;
    ::setsid();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    leave_output();
    for (int i = 0; i < 3; ++i) {
        if (::fork() != 0) continue;
        ::setsid();
        if (::fork() != 0) ::_exit(0);
        wait_for_the_end();
    }
    wait_for_the_end();
}

// Has another number every 20 milliseconds.
int runner(Arguments) {
    if (::fork() != 0) return done;
    leave_output();
    const time_t end = ::time(nullptr) + life;
    while (::time(nullptr) < end) {
        constexpr timespec nap{0, 20'000'000};
        ::nanosleep(&nap, nullptr);
        ::setsid();
        const pid_t pid = ::fork();
        if (pid > 0) ::_exit(0);
        if (pid < 0) break;
    }
    return done;
}

int untraceable(Arguments) {
    if (::fork() != 0) return done;
    ::setsid();
    ::prctl(PR_SET_NAME, "kworker/0:1");
    ::prctl(PR_SET_DUMPABLE, 0);
    leave_output();
    wait_for_the_end();
}

constexpr Verb verbs[] = {
    {"idle", idle},       {"stubborn", stubborn},
    {"stopped", stopped}, {"twice-forked", twice_forked},
    {"sister", sister},   {"own-reaper", own_reaper},
    {"runner", runner},   {"untraceable", untraceable},
};

}  // namespace

std::span<const Verb> survivor_verbs() { return verbs; }

}  // namespace probe
