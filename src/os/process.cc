#include "os/process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <memory>

#include "os/file.h"

namespace husk::os {
namespace {

constexpr size_t stack_size = 16 * 1024;

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
        if (::dup2(null, fd) < 0) return fail(plan);
    if (::dup2(socket, 3) < 0) return fail(plan);
    ::syscall(SYS_close_range, 4U, ~0U, CLOSE_RANGE_CLOEXEC);
    ::syscall(SYS_execveat, program, "", plan.argv, plan.envp, AT_EMPTY_PATH);
    return fail(plan);
}

int step_aside(void* argument) {
    auto& plan = *static_cast<Detached*>(argument);
    const int pid = ::clone(become_program, plan.stack + stack_size, CLONE_VM | CLONE_VFORK, &plan);
    return pid < 0 ? fail(plan) : 0;
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
    // A handler of the embedding program must not run in a child that shares its memory.
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    // Without an exit signal: a program that waits for its own children never meets this one.
    const int pid =
        ::clone(step_aside, stacks.get() + 2 * stack_size, CLONE_VM | CLONE_VFORK, &plan);
    const int clone_error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (pid < 0) return failure("clone", clone_error, "");
    int status = 0;
    while (::waitpid(pid, &status, __WALL) < 0 && errno == EINTR) {
    }
    if (plan.error != 0) return failure("execveat", plan.error, name);
    return {};
}

}  // namespace husk::os
