#include "guard.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/prctl.h>
#include <linux/signal.h>
#include <linux/signalfd.h>
#include <linux/wait.h>

#include "sys.h"
#include "tree.h"

namespace guard {
namespace {

constexpr sys::Time round{0, 2'000'000};
constexpr sys::Time late_round{1, 0};
constexpr int early_rounds = 1000;
constexpr int nobody = -1;

// Reaps what has ended; true when that child has, or there is none left.
bool has_ended(int child) {
    for (;;) {
        int status = 0;
        const long pid = sys::wait4(-1, &status, WNOHANG | __WALL, nullptr);
        if (pid == -ECHILD || (pid > 0 && pid == child)) return true;
        if (pid <= 0) return false;
    }
}

}  // namespace

void watch(int nursery, int socket, bool (*serve)(int socket)) {
    sys::prctl(PR_SET_NAME, reinterpret_cast<unsigned long>("husk-guard"), 0);
    sys::prctl(PR_SET_DUMPABLE, 0, 0);
    sys::prctl(PR_SET_CHILD_SUBREAPER, 1, 0);
    const uint64_t children = uint64_t{1} << (SIGCHLD - 1);
    const auto signals = static_cast<int>(sys::signalfd4(-1, &children, O_NONBLOCK | O_CLOEXEC));
    while (!has_ended(nursery)) {
        pollfd fds[] = {{signals, POLLIN, 0}, {socket, POLLIN, 0}};
        const long polled = sys::ppoll(fds, 2, nullptr);
        if (polled < 0 && polled != -EINTR) break;  // deaf: the session ends
        signalfd_siginfo info{};
        while (sys::read(signals, &info, sizeof info) == sizeof info) {
        }
        if (fds[1].revents != 0 && !serve(socket)) sys::close_once(socket);
    }
    for (int rounds = 0; !has_ended(nobody); ++rounds) {
        tree::signal_all(SIGKILL, tree::spare_none);
        sys::ppoll(nullptr, 0, rounds < early_rounds ? &round : &late_round);
    }
    sys::exit_group(0);
}

}  // namespace guard
