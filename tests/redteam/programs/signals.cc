// Reaching for another process by signals, and tuning it.
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

int by_pidfd(Arguments a) {
    const long fd = ::syscall(SYS_pidfd_open, number(a[0]), 0);
    if (fd < 0) return refused("pidfd_open");
    return ::syscall(SYS_pidfd_send_signal, fd, SIGKILL, nullptr, 0) == 0
               ? done
               : refused("pidfd_send_signal");
}

int by_queue(Arguments a) {
    siginfo_t info{};
    info.si_signo = SIGTERM;
    info.si_code = SI_QUEUE;
    info.si_pid = ::getpid();
    return ::syscall(SYS_rt_sigqueueinfo, number(a[0]), SIGTERM, &info) == 0
               ? done
               : refused("rt_sigqueueinfo");
}

int by_thread(Arguments a) {
    const int pid = number(a[0]);
    return ::syscall(SYS_tgkill, pid, pid, SIGTERM) == 0 ? done : refused("tgkill");
}

int by_tkill(Arguments a) {
    return ::syscall(SYS_tkill, number(a[0]), SIGTERM) == 0 ? done : refused("tkill");
}

// The kernel itself sends the signal, when a socket of ours becomes readable.
int by_ownership(Arguments a) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return refused("socketpair");
    if (::fcntl(ends[0], F_SETOWN, number(a[0])) != 0) return refused("F_SETOWN");
    if (::fcntl(ends[0], F_SETSIG, SIGTERM) != 0) return refused("F_SETSIG");
    if (::fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) != 0) return refused("O_ASYNC");
    return ::write(ends[1], "x", 1) == 1 ? done : refused("write");
}

int nicer(Arguments a) {
    return ::setpriority(PRIO_PROCESS, static_cast<id_t>(number(a[0])), 7) == 0
               ? done
               : refused("setpriority");
}

int nicer_group(Arguments a) {
    return ::setpriority(PRIO_PGRP, static_cast<id_t>(number(a[0])), 7) == 0
               ? done
               : refused("setpriority");
}

int one_cpu(Arguments a) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    return ::sched_setaffinity(number(a[0]), sizeof set, &set) == 0 ? done
                                                                    : refused("sched_setaffinity");
}

int idle_policy(Arguments a) {
    const sched_param parameters{};
    return ::sched_setscheduler(number(a[0]), SCHED_BATCH, &parameters) == 0
               ? done
               : refused("sched_setscheduler");
}

int new_policy(Arguments a) {
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes{sizeof attributes, SCHED_BATCH, 0, 5, 0, 0, 0, 0};
    return ::syscall(SYS_sched_setattr, number(a[0]), &attributes, 0) == 0
               ? done
               : refused("sched_setattr");
}

int idle_io(Arguments a) {
    constexpr int process = 1;
    constexpr int idle_class = 3 << 13;
    return ::syscall(SYS_ioprio_set, process, number(a[0]), idle_class) == 0
               ? done
               : refused("ioprio_set");
}

int fewer_files(Arguments a) {
    const rlimit limit{100, 100};
    return ::prlimit(number(a[0]), RLIMIT_NOFILE, &limit, nullptr) == 0 ? done : refused("prlimit");
}

int read_limit(Arguments a) {
    rlimit limit{};
    return ::prlimit(number(a[0]), RLIMIT_NOFILE, nullptr, &limit) == 0 ? reveal()
                                                                        : refused("prlimit");
}

int pages(Arguments a) {
    return ::syscall(SYS_move_pages, number(a[0]), 0, nullptr, nullptr, nullptr, 0) == 0
               ? reveal()
               : refused("move_pages");
}

constexpr Verb verbs[] = {
    {"kill-by-pidfd", by_pidfd},
    {"kill-by-queue", by_queue},
    {"kill-by-thread", by_thread},
    {"kill-by-tkill", by_tkill},
    {"kill-by-owner", by_ownership},
    {"nicer", nicer},
    {"nicer-group", nicer_group},
    {"one-cpu", one_cpu},
    {"idle-policy", idle_policy},
    {"new-policy", new_policy},
    {"idle-io", idle_io},
    {"fewer-files", fewer_files},
    {"read-limit", read_limit},
    {"move-pages", pages},
};

}  // namespace

std::span<const Verb> signal_verbs() { return verbs; }

}  // namespace probe
