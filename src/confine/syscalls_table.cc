#include "confine/syscalls_table.h"

#include <cerrno>

#include "os/seccomp.h"

namespace husk::confine {
namespace {

using enum When;

// name, number on x86-64, number on aarch64, the answer, and when if not always
constexpr RefusedCall table[] = {
    // Looking into other processes, and changing them.
    {{"ptrace", 101, 117}, EPERM, WithoutTracing},
    {{"process_vm_readv", 310, 270}, EPERM, WithoutTracing},
    {{"process_vm_writev", 311, 271}, EPERM, WithoutTracing},
    {{"pidfd_getfd", 438, 438}, EPERM},
    {{"kcmp", 312, 272}, EPERM},
    {{"process_madvise", 440, 440}, EPERM},
    {{"move_pages", 279, 239}, EPERM},
    {{"migrate_pages", 256, 238}, EPERM},

    // Large and rarely needed parts of the kernel.
    {{"bpf", 321, 280}, EPERM},
    {{"perf_event_open", 298, 241}, EPERM},
    {{"userfaultfd", 323, 282}, EPERM},
    {{"modify_ldt", 154, no_such_call}, EPERM},

    // Keys outlive the session, and KEYCTL_SESSION_TO_PARENT took Landlock away (CVE-2024-42318).
    // Programs that change users (su, sshd) go on where a kernel has no keys.
    {{"add_key", 248, 217}, ENOSYS},
    {{"request_key", 249, 218}, ENOSYS},
    {{"keyctl", 250, 219}, ENOSYS},

    // Other views of the file tree; the newer ones were forgotten by others (CVE-2021-41133).
    // unshare and clone are judged by their flags.
    {{"mount", 165, 40}, EPERM},
    {{"umount2", 166, 39}, EPERM},
    {{"pivot_root", 155, 41}, EPERM},
    {{"chroot", 161, 51}, EPERM},
    {{"open_tree", 428, 428}, EPERM},
    {{"open_tree_attr", 467, 467}, EPERM},
    {{"move_mount", 429, 429}, EPERM},
    {{"fsopen", 430, 430}, EPERM},
    {{"fsconfig", 431, 431}, EPERM},
    {{"fsmount", 432, 432}, EPERM},
    {{"fspick", 433, 433}, EPERM},
    {{"mount_setattr", 442, 442}, EPERM},
    {{"setns", 308, 268}, EPERM},

    // As FS_IOC_SETFLAGS and FS_IOC_FSSETXATTR: immutable files and project quotas.
    {{"file_setattr", 469, 469}, EPERM},

    // Files by number, past every directory; and what others do with theirs.
    {{"name_to_handle_at", 303, 264}, EPERM},
    {{"open_by_handle_at", 304, 265}, EPERM},
    {{"fanotify_init", 300, 262}, EPERM},
    {{"fanotify_mark", 301, 263}, EPERM},

    // The machine.
    {{"init_module", 175, 105}, EPERM},
    {{"finit_module", 313, 273}, EPERM},
    {{"delete_module", 176, 106}, EPERM},
    {{"kexec_load", 246, 104}, EPERM},
    {{"kexec_file_load", 320, 294}, EPERM},
    {{"reboot", 169, 142}, EPERM},
    {{"swapon", 167, 224}, EPERM},
    {{"swapoff", 168, 225}, EPERM},
    {{"acct", 163, 89}, EPERM},
    {{"quotactl", 179, 60}, EPERM},
    {{"quotactl_fd", 443, 443}, EPERM},
    {{"syslog", 103, 116}, EPERM},
    {{"iopl", 172, no_such_call}, EPERM},
    {{"ioperm", 173, no_such_call}, EPERM},
    {{"settimeofday", 164, 170}, EPERM},
    {{"clock_settime", 227, 112}, EPERM},
    {{"clock_adjtime", 305, 266}, EPERM},
    {{"adjtimex", 159, 171}, EPERM},
    {{"sethostname", 170, 161}, EPERM},
    {{"setdomainname", 171, 162}, EPERM},

    // io_uring makes calls that no filter sees; the flags of clone3 are in memory, where none can
    // look. Programs know kernels without them and do the same in the old way.
    {{"io_uring_setup", 425, 425}, ENOSYS},
    {{"io_uring_enter", 426, 426}, ENOSYS},
    {{"io_uring_register", 427, 427}, ENOSYS},
    {{"clone3", 435, 435}, ENOSYS},

    // Metadata. Landlock does not know it.
    {{"chmod", 90, no_such_call}, EROFS, WithoutMountNamespace},
    {{"fchmod", 91, 52}, EROFS, WithoutMountNamespace},
    {{"fchmodat", 268, 53}, EROFS, WithoutMountNamespace},
    {{"fchmodat2", 452, 452}, EROFS, WithoutMountNamespace},
    {{"chown", 92, no_such_call}, EROFS, WithoutMountNamespace},
    {{"fchown", 93, 55}, EROFS, WithoutMountNamespace},
    {{"lchown", 94, no_such_call}, EROFS, WithoutMountNamespace},
    {{"fchownat", 260, 54}, EROFS, WithoutMountNamespace},
    {{"utime", 132, no_such_call}, EROFS, WithoutMountNamespace},
    {{"utimes", 235, no_such_call}, EROFS, WithoutMountNamespace},
    {{"futimesat", 261, no_such_call}, EROFS, WithoutMountNamespace},
    {{"utimensat", 280, 88}, EROFS, WithoutMountNamespace},
    {{"setxattr", 188, 5}, EROFS, WithoutMountNamespace},
    {{"lsetxattr", 189, 6}, EROFS, WithoutMountNamespace},
    {{"fsetxattr", 190, 7}, EROFS, WithoutMountNamespace},
    {{"setxattrat", 463, 463}, EROFS, WithoutMountNamespace},
    {{"removexattr", 197, 14}, EROFS, WithoutMountNamespace},
    {{"lremovexattr", 198, 15}, EROFS, WithoutMountNamespace},
    {{"fremovexattr", 199, 16}, EROFS, WithoutMountNamespace},
    {{"removexattrat", 466, 466}, EROFS, WithoutMountNamespace},

    // Whoever knows or guesses an id needs no shmget: so the calls that take ids are here too.
    {{"shmget", 29, 194}, EPERM, WithoutIpcNamespace},
    {{"shmat", 30, 196}, EPERM, WithoutIpcNamespace},
    {{"shmctl", 31, 195}, EPERM, WithoutIpcNamespace},
    {{"msgget", 68, 186}, EPERM, WithoutIpcNamespace},
    {{"msgsnd", 69, 189}, EPERM, WithoutIpcNamespace},
    {{"msgrcv", 70, 188}, EPERM, WithoutIpcNamespace},
    {{"msgctl", 71, 187}, EPERM, WithoutIpcNamespace},
    {{"semget", 64, 190}, EPERM, WithoutIpcNamespace},
    {{"semop", 65, 193}, EPERM, WithoutIpcNamespace},
    {{"semtimedop", 220, 192}, EPERM, WithoutIpcNamespace},
    {{"semctl", 66, 191}, EPERM, WithoutIpcNamespace},
    {{"mq_open", 240, 180}, EPERM, WithoutIpcNamespace},
    {{"mq_unlink", 241, 181}, EPERM, WithoutIpcNamespace},

    // What Landlock would answer.
    {{"truncate", 76, 45}, EACCES, WithoutTruncateRight},

    // Flags and mode are in memory, where no filter can look. Programs that know it do without it,
    // as on older kernels.
    {{"openat2", 437, 437}, ENOSYS},
    // A few bytes of a huge page keep 2 MiB in a pipe, where no limit counts them.
    {{"vmsplice", 278, 75}, ENOSYS},
};

}  // namespace

std::optional<uint32_t> Syscall::number(uint32_t arch) const {
    const int found = arch == AUDIT_ARCH_AARCH64 ? aarch64 : x86_64;
    if (found == no_such_call) return std::nullopt;
    return static_cast<uint32_t>(found);
}

std::span<const RefusedCall> refused_calls() { return table; }

}  // namespace husk::confine
