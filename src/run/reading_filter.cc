#include "run/reading_filter.h"

#include <asm/ioctls.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>

#include "confine/syscalls_table.h"
#include "os/seccomp.h"

namespace husk::run {
namespace {

using os::ArgumentCase;
using os::SyscallRule;
using os::Width;

// What glibc and musl ask for when they start a program, what bash asks about itself, and reading.
constexpr uint32_t harmless[] = {
#if defined(__x86_64__)
    SYS_access,
    SYS_arch_prctl,
    SYS_dup2,
    SYS_fstat,
    SYS_getpgrp,
    SYS_lstat,
    SYS_poll,
    SYS_readlink,
    SYS_stat,
#endif
    SYS_brk,
    SYS_clock_getres,
    SYS_clock_gettime,
    SYS_close,
    SYS_dup,
    SYS_dup3,
    SYS_exit,
    SYS_exit_group,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_futex,
    SYS_getcwd,
    SYS_getdents64,
    SYS_getegid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getgroups,
    SYS_getpgid,
    SYS_getpid,
    SYS_getppid,
    SYS_getrandom,
    SYS_getrusage,
    SYS_getsid,
    SYS_gettid,
    SYS_gettimeofday,
    SYS_getuid,
    SYS_lseek,
    SYS_madvise,
    SYS_membarrier,
    SYS_mmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_munmap,
    SYS_newfstatat,
    SYS_ppoll,
    SYS_pread64,
    SYS_read,
    SYS_readlinkat,
    SYS_readv,
    SYS_rseq,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_sigaltstack,
    SYS_statx,
    SYS_sysinfo,
    SYS_uname,
    SYS_write,
    SYS_writev,
};

ArgumentCase allowed_if(uint32_t argument, Width width, uint64_t value,
                        uint64_t mask = ~uint64_t{0}) {
    return {{{.argument = argument, .width = width, .value = value, .mask = mask}},
            os::let_through};
}

// Only to read.
SyscallRule opening(uint32_t number, uint32_t flags) {
    constexpr uint64_t writes = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND;
    return {number, os::fail_with(EACCES), {allowed_if(flags, Width::Int, 0, writes)}};
}

SyscallRule one_of(uint32_t number, uint32_t argument, int error,
                   std::initializer_list<uint64_t> values) {
    SyscallRule rule{number, os::fail_with(error), {}};
    for (const uint64_t value : values)
        rule.cases.push_back(allowed_if(argument, Width::Int, value));
    return rule;
}

// Those whose arguments decide.
std::vector<SyscallRule> judged() {
    std::vector<SyscallRule> rules = {
        opening(SYS_openat, 2),
        one_of(SYS_fcntl, 1, EPERM, {F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC}),
        one_of(SYS_ioctl, 1, ENOTTY, {TCGETS, TIOCGPGRP, TIOCGWINSZ}),
        one_of(SYS_execveat, 4, EPERM, {AT_EMPTY_PATH}),
        // Limits are asked for and never set.
        {SYS_prlimit64, os::fail_with(EPERM), {allowed_if(2, Width::Long, 0)}},
    };
#if defined(__x86_64__)
    rules.push_back(opening(SYS_open, 1));
#endif
    return rules;
}

}  // namespace

Result<std::vector<sock_filter>> reading_filter() {
    os::SyscallFilter filter{
        .arch = os::native_arch, .highest_known = confine::newest_call, .rules = judged()};
    const auto has_rule = [&](uint32_t number) {
        return std::ranges::find(filter.rules, number, &SyscallRule::number) != filter.rules.end();
    };
    for (uint32_t number = 0; number <= filter.highest_known; ++number)
        if (std::ranges::find(harmless, number) == std::end(harmless) && !has_rule(number))
            filter.rules.push_back({number, os::fail_with(ENOSYS)});
    return os::compile(filter);
}

}  // namespace husk::run
