// bash, counters and limits.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "os/probe.h"

namespace husk::os::probe {
namespace {

constexpr rlim_t files_for_1000_shells = 4096;

[[noreturn]] void say_version(const Program& program, const Fd& telling) {
    const int null = ::open("/dev/null", O_RDWR);
    if (null < 0) ::_exit(errno);
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDERR_FILENO);
    ::dup2(telling.get(), STDOUT_FILENO);
    const char* const argv[] = {
        "bash", "--norc", "--noprofile", "-c", "printf %s \"$BASH_VERSION\"", nullptr};
    const char* const envp[] = {nullptr};  // BASH_ENV would be read
    ::syscall(SYS_execveat, program.file.get(), "", argv, envp, AT_EMPTY_PATH);
    ::_exit(errno);
}

Outcome run_bash(const Program& program) {
    Result<Pipe> pipe = make_pipe();
    if (!pipe) return failed_at("pipe2");
    const pid_t child = fork_bound();
    if (child < 0) return failed_at("fork");
    if (child == 0) say_version(program, pipe->writing);
    pipe->writing.reset();
    char version[64] = {};
    const ssize_t got = ::read(pipe->reading.get(), version, sizeof version);
    const int code = exit_code_of(child);
    if (code > 0) return failed_at("execveat", code);
    if (code < 0 || got <= 0) return failed_at("it is not bash", 0);
    return well({version, static_cast<size_t>(got)});
}

Result<std::string> bash_version(const Result<Program>& program) {
    if (!program) return std::unexpected(program.error());
    return in_child([&] { return run_bash(*program); });
}

bool counts_bytes(const Fd& counters) {
    char text[512] = {};
    return ::pread(counters.get(), text, sizeof text - 1, 0) > 0 &&
           std::strstr(text, "read_bytes:") != nullptr &&
           std::strstr(text, "write_bytes:") != nullptr;
}

// In the keeper's order: opened first, read by one that nobody may look into.
Outcome read_counters() {
    ::prctl(PR_SET_DUMPABLE, 1);
    const Fd process(::open("/proc/self/io", O_RDONLY | O_CLOEXEC));
    if (!process) return failed_at("open /proc/self/io");
    const Fd thread(::open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC));
    if (!thread) return failed_at("open /proc/thread-self/io");
    ::prctl(PR_SET_DUMPABLE, 0);
    if (!counts_bytes(process) || !counts_bytes(thread)) return failed_at("read /proc/self/io");
    return well();
}

Result<std::string> many_open_files() {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return failure("getrlimit", errno, "");
    if (files.rlim_max == RLIM_INFINITY) return "no limit";
    const std::string limit = std::to_string(files.rlim_max);
    if (files.rlim_max < files_for_1000_shells) return failure("the hard limit is " + limit, 0, "");
    return limit;
}

}  // namespace

Capability bash(const Result<Program>& program) {
    return judged(
        {.mechanism = "bash",
         .needed_for = "running commands",
         .without = nothing_runs,
         .remedy = "install bash where only root can change it, for example at /usr/bin/bash",
         .required = true},
        bash_version(program));
}

Capability io_accounting() {
    return judged({.mechanism = "I/O accounting",
                   .needed_for = "read_bytes and written_bytes",
                   .without = "they are null",
                   .remedy = "a kernel with CONFIG_TASK_IO_ACCOUNTING"},
                  in_child(read_counters));
}

Capability open_files() {
    return judged({.mechanism = "4096 open files",
                   .needed_for = "1000 shells at once",
                   .without = "fewer shells at once",
                   .remedy = "ulimit -Hn 4096 as root, or LimitNOFILE=4096 in the unit"},
                  many_open_files());
}

}  // namespace husk::os::probe
