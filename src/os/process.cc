#include "os/process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>

#include "os/file.h"

#ifdef __SANITIZE_THREAD__
// The C library's own name for clone. The thread sanitizer's `clone` takes every child for a fork
// with a memory of its own: it would switch itself off in the memory that the child shares with us.
extern "C" int __clone(int (*child)(void*), void* stack_end, int flags, void* argument, ...);
#endif

namespace husk::os {
namespace {

constexpr size_t stack_size = 16 * 1024;

#ifdef __SANITIZE_THREAD__
constexpr auto* clone_here = &::__clone;
#else
constexpr auto* clone_here = &::clone;
#endif

// Shared with two children that run on stacks of their own in this memory.
struct Detached {
    const char* const* argv;
    const char* const* envp;
    int program;
    int null;
    int socket;
    char* stack;  // of the grandchild
    volatile int error;
};

// In a child, whose table of descriptors is its own: the thread sanitizer's `dup2` would note it
// for those of the parent.
bool put(int fd, int place) { return ::syscall(SYS_dup3, fd, place, 0) >= 0; }

int fail(Detached& plan) {
    plan.error = errno;
    return 127;
}

int become_program(void* argument) {
    auto& plan = *static_cast<Detached*>(argument);
    if (::setsid() < 0 || ::chdir("/") != 0) return fail(plan);
    // Above everything that is moved into place, so that nothing is overwritten too early.
    const int socket = ::fcntl(plan.socket, F_DUPFD, 10);
    const int program = ::fcntl(plan.program, F_DUPFD_CLOEXEC, 10);
    const int null = ::fcntl(plan.null, F_DUPFD, 10);
    if (socket < 0 || program < 0 || null < 0) return fail(plan);
    for (int fd = 0; fd < 3; ++fd)
        if (!put(null, fd)) return fail(plan);
    if (!put(socket, 3)) return fail(plan);
    ::syscall(SYS_close_range, 4U, ~0U, CLOSE_RANGE_CLOEXEC);
    ::syscall(SYS_execveat, program, "", plan.argv, plan.envp, AT_EMPTY_PATH);
    return fail(plan);
}

int step_aside(void* argument) {
    auto& plan = *static_cast<Detached*>(argument);
    const int pid =
        clone_here(become_program, plan.stack + stack_size, CLONE_VM | CLONE_VFORK, &plan);
    return pid < 0 ? fail(plan) : 0;
}

// A child that runs on a stack of its own in this memory until it has become the program.
// Returns when it has. Without an exit signal: a program that waits for its own children
// never meets this one.
Result<pid_t> vfork_with(int (*child)(void*), void* plan, char* stack_end) {
    // A handler of the embedding program must not run in a child that shares its memory.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = clone_here(child, stack_end, CLONE_VM | CLONE_VFORK, plan);
    const int clone_error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (pid < 0) return failure("clone", clone_error, "");
    return pid;
}

int reap(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, __WALL) < 0 && errno == EINTR) {
    }
    return status;
}

struct Asked {
    char* const* argv;
    char* const* envp;
    sock_fprog filter;
    int program;
    int input;
    int output;
    volatile int error;
};

int become_asked(void* argument) {
    auto& plan = *static_cast<Asked*>(argument);
    const auto fail_with_errno = [&] {
        plan.error = errno;
        return 127;
    };
    const rlimit no_core{0, 0};
    if (::setsid() < 0 || ::chdir("/") != 0) return fail_with_errno();
    if (::setrlimit(RLIMIT_CORE, &no_core) != 0) return fail_with_errno();
    const int input = ::fcntl(plan.input, F_DUPFD, 10);
    const int output = ::fcntl(plan.output, F_DUPFD, 10);
    const int program = ::fcntl(plan.program, F_DUPFD_CLOEXEC, 10);
    if (input < 0 || output < 0 || program < 0) return fail_with_errno();
    if (!put(input, 0) || !put(output, 1) || !put(output, 2)) return fail_with_errno();
    ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail_with_errno();
    if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &plan.filter) != 0)
        return fail_with_errno();
    ::syscall(SYS_execveat, program, "", plan.argv, plan.envp, AT_EMPTY_PATH);
    return fail_with_errno();
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

// Until everybody has closed the other end; false when patience is over.
bool read_to_end(const Fd& pipe, const Question& question, std::string& output) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + question.patience;
    while (true) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
        if (left.count() <= 0) return false;
        pollfd wanted{pipe.get(), POLLIN, 0};
        if (::poll(&wanted, 1, static_cast<int>(left.count())) <= 0) continue;
        char buffer[4096];
        const ssize_t got = ::read(pipe.get(), buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        const size_t room = question.most_output - output.size();
        output.append(buffer, std::min(static_cast<size_t>(got), room));
    }
}

}  // namespace

Result<Fd> open_process(pid_t pid) {
    const auto fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
    if (fd < 0) return failure("pidfd_open", errno, std::to_string(pid));
    return Fd(fd);
}

Result<void> send_signal(const Fd& process, int signal, uint64_t value) {
    siginfo_t info{};
    info.si_signo = signal;
    info.si_code = SI_QUEUE;
    info.si_pid = ::getpid();
    info.si_uid = ::getuid();
    info.si_value.sival_ptr = reinterpret_cast<void*>(value);
    if (::syscall(SYS_pidfd_send_signal, process.get(), signal, &info, 0) != 0)
        return failure("pidfd_send_signal", errno, "");
    return {};
}

bool has_ended(const Fd& process) {
    pollfd wanted{process.get(), POLLIN, 0};
    return ::poll(&wanted, 1, 0) > 0;
}

Result<Fd> program_file(std::string_view image) {
    // Where memory files are not executable by default, it must be said (Linux 6.3 and later).
    constexpr unsigned executable = 0x10;  // MFD_EXEC
    constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    Fd file(::memfd_create("husk-keeper", flags | executable));
    if (!file && errno == EINVAL) file = Fd(::memfd_create("husk-keeper", flags));
    if (!file) return failure("memfd_create", errno, "");
    CHECK(write_all(file.get(), image));
    ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
    return file;
}

Result<void> start_detached(const Fd& program, const char* name, const Fd& null, const Fd& socket) {
    const char* const argv[] = {name, nullptr};
    const char* const envp[] = {nullptr};
    const auto stacks = std::make_unique<char[]>(2 * stack_size);
    Detached plan{argv, envp, program.get(), null.get(), socket.get(), stacks.get(), 0};
    reap(TRY(vfork_with(step_aside, &plan, stacks.get() + 2 * stack_size)));
    if (plan.error != 0) return failure("execveat", plan.error, name);
    return {};
}

Result<Answer> ask_program(const Question& question) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return failure("pipe2", errno, "");
    const Fd reading(ends[0]);
    Fd writing(ends[1]);
    const std::vector<char*> argv = pointers_to(question.argv);
    const std::vector<char*> envp = pointers_to(question.env);
    const auto stack = std::make_unique<char[]>(stack_size);
    // The kernel only reads it.
    auto* const filter = const_cast<sock_filter*>(question.filter.data());
    Asked plan{argv.data(),
               envp.data(),
               {static_cast<unsigned short>(question.filter.size()), filter},
               question.program->file.get(),
               question.input,
               writing.get(),
               0};
    const pid_t pid = TRY(vfork_with(become_asked, &plan, stack.get() + stack_size));
    writing.reset();
    Answer answer;
    const bool ended = plan.error != 0 || read_to_end(reading, question, answer.output);
    // Nobody else has waited for it, so the number is still its own.
    if (!ended) ::kill(pid, SIGKILL);
    answer.status = reap(pid);
    if (plan.error != 0) return failure("execveat", plan.error, question.program->path);
    if (!ended) return failure("wait", ETIMEDOUT, question.program->path);
    return answer;
}

}  // namespace husk::os
