#include "standstill.h"

#include <linux/signal.h>

#include "clock.h"
#include "sys.h"

namespace standstill {
namespace {

constexpr uint64_t patience_ms = 1000;
constexpr sys::Time round{0, 1'000'000};

// Processes that were stopped before. If there are more than fit, the rest continue by mistake.
constexpr unsigned most_stopped = 4096;
int stopped[most_stopped];
unsigned stopped_count = 0;

int doomed = 0;
bool is_doomed(int pid) { return pid == doomed; }

unsigned living = 0;

void note_if_stopped(const proc::Kin& kin) {
    proc::Stat stat{};
    const bool is_stopped = proc::read_stat(kin.pid, stat) && stat.state == 'T';
    if (is_stopped && stopped_count < most_stopped) stopped[stopped_count++] = kin.pid;
}

void count_if_living(const proc::Kin& kin) {
    proc::Stat stat{};
    if (!proc::read_stat(kin.pid, stat)) return;
    const bool is_dead = (stat.state == 'Z' || stat.state == 'X') && stat.threads <= 1;
    if (!is_dead) ++living;
}

// A dead process keeps its number until it is reaped, and the parents that could reap it are
// stopped.
bool lives_below(int root, tree::Spare spare) {
    living = 0;
    tree::for_each_below(root, spare, count_if_living);
    return living > 0;
}

void let_go() {
    sys::kill(-1, SIGCONT);
    for (unsigned i = 0; i < stopped_count; ++i) sys::kill(stopped[i], SIGSTOP);
}

}  // namespace

bool end_below(int root, tree::Spare spare) {
    const auto self = static_cast<int>(sys::getpid());
    stopped_count = 0;
    doomed = root;
    tree::for_each_below(self, is_doomed, note_if_stopped);
    // A fork that is under way takes the signal to its child, so that nobody escapes.
    sys::kill(-1, SIGSTOP);
    const uint64_t until = keeper_clock::after(keeper_clock::monotonic(), patience_ms);
    bool is_over = false;
    while (!is_over) {
        tree::signal_below(root, SIGKILL, spare);
        is_over = !lives_below(root, spare);
        if (keeper_clock::is_over(until, keeper_clock::monotonic())) break;
        if (!is_over) sys::ppoll(nullptr, 0, &round);
    }
    let_go();
    return is_over;
}

}  // namespace standstill
