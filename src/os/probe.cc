#include "os/probe.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <span>

#include "os/events.h"

namespace husk::os::probe {
namespace {

// Only for a probe that hangs. It takes milliseconds, but seconds on a machine that is very busy.
constexpr unsigned patience_seconds = 10;

// A program that ignores these signals hands that down, and with it neither the alarm nor a
// wait for a child would work.
void live_at_most(unsigned seconds) {
    std::signal(SIGALRM, SIG_DFL);
    std::signal(SIGCHLD, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::alarm(seconds);
}

Outcome receive(const Fd& reading, pid_t child) {
    pollfd wanted{reading.get(), POLLIN, 0};
    const Deadline deadline = Clock::now() + std::chrono::seconds(patience_seconds);
    if (wait_for(std::span(&wanted, 1), deadline).value_or(0) == 0) {
        ::kill(child, SIGKILL);
        return failed_at("the probe", ETIMEDOUT);
    }
    Outcome outcome;
    // A result is smaller than PIPE_BUF: it comes in one piece.
    if (::read(reading.get(), &outcome, sizeof outcome) != sizeof outcome)
        return failed_at("the probe was killed", 0);
    return outcome;
}

}  // namespace

Outcome well(std::string_view version) { return failed_at(nullptr, 0, version); }

Outcome failed_at(const char* step, int error, std::string_view detail) {
    Outcome outcome{step, error};
    detail.copy(outcome.text, sizeof outcome.text - 1);
    return outcome;
}

pid_t fork_bound(const std::function<pid_t()>& fork) {
    const pid_t parent = ::getpid();
    const pid_t forked = fork();
    if (forked != 0) return forked;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A parent that died before that line sends no signal. One outside of the own namespace is 0.
    const pid_t now = ::getppid();
    if (now != parent && now != 0) ::_exit(1);
    live_at_most(patience_seconds);
    return 0;
}

pid_t fork_bound() { return fork_bound(::fork); }

int exit_code_of(pid_t child) {
    int status = 0;
    pid_t ended = 0;
    do ended = ::waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Result<Pipe> make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return failure("pipe2", errno, "");
    return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Result<std::string> in_child(const std::function<Outcome()>& work) {
    Pipe pipe = TRY(make_pipe());
    const pid_t child = fork_bound();
    if (child < 0) return failure("fork", errno, "");
    if (child == 0) {
        const Outcome outcome = work();
        const ssize_t written = ::write(pipe.writing.get(), &outcome, sizeof outcome);
        ::_exit(written == sizeof outcome ? 0 : 1);
    }
    pipe.writing.reset();
    const Outcome outcome = receive(pipe.reading, child);
    exit_code_of(child);
    if (outcome.failed != nullptr) return failure(outcome.failed, outcome.error, outcome.text);
    return outcome.text;
}

Sleeper::Sleeper(const std::function<pid_t()>& fork) : pid_(fork_bound(fork)) {
    if (pid_ != 0) return;
    for (;;) ::pause();
}

Sleeper::~Sleeper() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);  // not reaped yet, so the number is still its own
    exit_code_of(pid_);
}

Capability judged(Capability description, const Result<std::string>& outcome) {
    description.available = outcome.has_value();
    if (outcome) {
        description.version = *outcome;
    } else {
        description.why_not = outcome.error().text();
    }
    return description;
}

}  // namespace husk::os::probe
