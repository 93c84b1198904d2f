// Landlock and seccomp: walls that a process builds around itself.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <iterator>

#include "os/probe.h"

namespace husk::os::probe {
namespace {

Outcome forbid_writing() {
    const long abi =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 0) return failed_at("landlock_create_ruleset");
    landlock_ruleset_attr handled{};
    handled.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE;
    const Fd rules(static_cast<int>(
        ::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0)));
    if (!rules) return failed_at("landlock_create_ruleset");
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed_at("PR_SET_NO_NEW_PRIVS");
    if (::syscall(SYS_landlock_restrict_self, rules.get(), 0) != 0)
        return failed_at("landlock_restrict_self");
    const Fd written(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (written) return failed_at("a forbidden file could be opened", 0);
    return errno == EACCES ? well("ABI " + std::to_string(abi)) : failed_at("open");
}

Outcome forbid_a_call() {
    constexpr unsigned odd_error = ENOTUNIQ;  // that getppid never gives by itself
    sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | odd_error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{std::size(steps), steps};
    seccomp_notif_sizes sizes{};
    const bool notifies = ::syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) == 0;
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed_at("PR_SET_NO_NEW_PRIVS");
    if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0)
        return failed_at("seccomp");
    if (::syscall(SYS_getppid) != -1 || errno != odd_error)
        return failed_at("a forbidden call went through", 0);
    return well(notifies ? "with notification" : "");
}

}  // namespace

Capability landlock() {
    return judged({.mechanism = "Landlock",
                   .needed_for = "files: reading and writing; signals, abstract sockets (ABI 6)",
                   .without = "no closed modes",
                   .remedy = "Linux 5.13 or later with landlock in its lsm= list; a container has "
                             "to allow landlock_create_ruleset"},
                  in_child(forbid_writing));
}

Capability seccomp() {
    return judged(
        {.mechanism = "seccomp",
         .needed_for = "unix sockets (with notification), odd protocols, rare system calls",
         .without = "no closed modes",
         .remedy = "a kernel with CONFIG_SECCOMP_FILTER"},
        in_child(forbid_a_call));
}

}  // namespace husk::os::probe
