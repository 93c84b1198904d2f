#include "sys.h"

#include <asm/unistd.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <linux/signal.h>

namespace {

#if defined(__x86_64__)

long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
    long result = 0;
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = e;
    register long r9 asm("r9") = f;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
}

#elif defined(__aarch64__)

long call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
    register long x8 asm("x8") = number;
    register long x0 asm("x0") = a;
    register long x1 asm("x1") = b;
    register long x2 asm("x2") = c;
    register long x3 asm("x3") = d;
    register long x4 asm("x4") = e;
    register long x5 asm("x5") = f;
    asm volatile("svc 0"
                 : "+r"(x0)
                 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                 : "memory");
    return x0;
}

#else
#error "the keeper knows x86-64 and aarch64"
#endif

template <class T>
long as_long(T* pointer) {
    return reinterpret_cast<long>(pointer);
}

constexpr size_t signal_set_size = 8;

// The child goes on here, on its own stack, and ends when `child` returns.
#if defined(__x86_64__)

long clone_and_call(long flags, long stack, int (*child)(void*), void* argument) {
    long result = 0;
    register long r10 asm("r10") = 0;
    register long r8 asm("r8") = 0;
    register int (*r12)(void*) asm("r12") = child;
    register void* r13 asm("r13") = argument;
    asm volatile(
        "syscall\n\t"
        "testq %%rax, %%rax\n\t"
        "jnz 1f\n\t"
        "xorl %%ebp, %%ebp\n\t"
        "movq %%r13, %%rdi\n\t"
        "callq *%%r12\n\t"
        "movl %%eax, %%edi\n\t"
        "movl %[exit], %%eax\n\t"
        "syscall\n"
        "1:"
        : "=a"(result)
        : "a"(__NR_clone), "D"(flags), "S"(stack), "d"(0L), "r"(r10), "r"(r8), "r"(r12),
          "r"(r13), [exit] "i"(__NR_exit)
        : "rcx", "r11", "memory");
    return result;
}

#else

long clone_and_call(long flags, long stack, int (*child)(void*), void* argument) {
    register long x8 asm("x8") = __NR_clone;
    register long x0 asm("x0") = flags;
    register long x1 asm("x1") = stack;
    register long x2 asm("x2") = 0;
    register long x3 asm("x3") = 0;
    register long x4 asm("x4") = 0;
    register int (*x19)(void*) asm("x19") = child;
    register void* x20 asm("x20") = argument;
    asm volatile(
        "svc 0\n\t"
        "cbnz x0, 1f\n\t"
        "mov x29, xzr\n\t"
        "mov x0, x20\n\t"
        "blr x19\n\t"
        "mov x8, %[exit]\n\t"
        "svc 0\n"
        "1:"
        : "+r"(x0)
        : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x19), "r"(x20), [exit] "i"(__NR_exit)
        : "x30", "memory");
    return x0;
}

#endif

void ignore_signal(int) {}

// Where the handler of a signal returns to. On aarch64 the kernel has a place of its own.
#if defined(__x86_64__)
constexpr unsigned long flags_of_handler = 0x04000000;  // SA_RESTORER
[[gnu::naked]] void leave_signal() { asm volatile("mov $15, %eax\n\tsyscall"); }
#else
constexpr unsigned long flags_of_handler = 0;
void leave_signal() {}
#endif

}  // namespace

namespace sys {

long read(int fd, void* into, size_t size) {
    return call(__NR_read, fd, as_long(into), static_cast<long>(size));
}
long pread(int fd, void* into, size_t size, int64_t offset) {
    return call(__NR_pread64, fd, as_long(into), static_cast<long>(size), offset);
}
long write(int fd, const void* from, size_t size) {
    return call(__NR_write, fd, as_long(from), static_cast<long>(size));
}
long pwrite(int fd, const void* from, size_t size, int64_t offset) {
    return call(__NR_pwrite64, fd, as_long(from), static_cast<long>(size), offset);
}
long openat(int dir, const char* path, int flags) {
    return call(__NR_openat, dir, as_long(path), flags);
}
long faccessat2(int dir, const char* path, int mode, int flags) {
    return call(__NR_faccessat2, dir, as_long(path), mode, flags);
}
long openat2(int dir, const char* path, const void* how, size_t size) {
    return call(__NR_openat2, dir, as_long(path), as_long(how), static_cast<long>(size));
}
long renameat2(int from, const char* path, int to, const char* as, unsigned flags) {
    return call(__NR_renameat2, from, as_long(path), to, as_long(as), flags);
}
long fchmodat(int dir, const char* path, unsigned mode) {
    return call(__NR_fchmodat, dir, as_long(path), mode);
}
long mkdirat(int dir, const char* path, unsigned mode) {
    return call(__NR_mkdirat, dir, as_long(path), mode);
}
long unlinkat(int dir, const char* path, int flags) {
    return call(__NR_unlinkat, dir, as_long(path), flags);
}
long close(int fd) { return call(__NR_close, fd); }
long close_range(unsigned first, unsigned last, unsigned flags) {
    return call(__NR_close_range, first, last, flags);
}
long dup3(int fd, int as, int flags) { return call(__NR_dup3, fd, as, flags); }
long pipe2(int* fds, int flags) { return call(__NR_pipe2, as_long(fds), flags); }
long fcntl(int fd, int command, long argument) { return call(__NR_fcntl, fd, command, argument); }
long fcntl_lock(int fd, int command, FileLock* lock) {
    return call(__NR_fcntl, fd, command, as_long(lock));
}
long fstatfs(int fd, void* info) { return call(__NR_fstatfs, fd, as_long(info)); }
long readlinkat(int dir, const char* path, char* into, size_t room) {
    return call(__NR_readlinkat, dir, as_long(path), as_long(into), static_cast<long>(room));
}
long process_vm_read(int pid, uint64_t address, void* into, size_t size) {
    const IoVec here{into, size};
    const IoVec there{reinterpret_cast<void*>(address), size};
    return call(__NR_process_vm_readv, pid, as_long(&here), 1, as_long(&there), 1, 0);
}
long process_vm_write(int pid, uint64_t address, const void* from, size_t size) {
    const IoVec here{const_cast<void*>(from), size};
    const IoVec there{reinterpret_cast<void*>(address), size};
    return call(__NR_process_vm_writev, pid, as_long(&here), 1, as_long(&there), 1, 0);
}
long ioctl(int fd, unsigned long request, void* argument) {
    return call(__NR_ioctl, fd, static_cast<long>(request), as_long(argument));
}
long ftruncate(int fd, int64_t size) { return call(__NR_ftruncate, fd, size); }
long fallocate(int fd, int mode, int64_t offset, int64_t length) {
    return call(__NR_fallocate, fd, mode, offset, length);
}
long getdents64(int fd, void* into, size_t size) {
    return call(__NR_getdents64, fd, as_long(into), static_cast<long>(size));
}
long mmap(void* where, size_t size, int protection, int flags, int fd, int64_t offset) {
    return call(__NR_mmap, as_long(where), static_cast<long>(size), protection, flags, fd, offset);
}
long madvise(void* where, size_t size, int advice) {
    return call(__NR_madvise, as_long(where), static_cast<long>(size), advice);
}
long ppoll(pollfd* fds, unsigned count, const Time* timeout) {
    Time left{};  // the kernel writes what is left of it
    if (timeout != nullptr) left = *timeout;
    return call(__NR_ppoll, as_long(fds), count, timeout != nullptr ? as_long(&left) : 0, 0,
                signal_set_size);
}
long signalfd4(int fd, const uint64_t* mask, int flags) {
    return call(__NR_signalfd4, fd, as_long(mask), signal_set_size, flags);
}
long rt_sigprocmask(int how, const uint64_t* set) {
    return call(__NR_rt_sigprocmask, how, as_long(set), 0, signal_set_size);
}
long rt_sigaction_default(int signal) {
    const unsigned long action[4] = {};  // handler SIG_DFL, no flags, empty mask
    return call(__NR_rt_sigaction, signal, as_long(action), 0, signal_set_size);
}
long rt_sigaction_interrupt(int signal) {
    const unsigned long action[4] = {reinterpret_cast<unsigned long>(&ignore_signal),
                                     flags_of_handler,
                                     reinterpret_cast<unsigned long>(&leave_signal), 0};
    return call(__NR_rt_sigaction, signal, as_long(action), 0, signal_set_size);
}
long setitimer(uint64_t microseconds) {
    const long time[4] = {0, static_cast<long>(microseconds), 0, static_cast<long>(microseconds)};
    return call(__NR_setitimer, 0, as_long(time), 0);
}
long rt_sigqueueinfo(int pid, int signal, void* info) {
    return call(__NR_rt_sigqueueinfo, pid, signal, as_long(info));
}
long kill(int pid, int signal) { return call(__NR_kill, pid, signal); }
long pidfd_open(int pid, unsigned flags) { return call(__NR_pidfd_open, pid, flags); }
long pidfd_send_signal(int process, int signal) {
    return call(__NR_pidfd_send_signal, process, signal, 0, 0);
}
long getpid() { return call(__NR_getpid); }
long geteuid() { return call(__NR_geteuid); }
long getegid() { return call(__NR_getegid); }
long setsid() { return call(__NR_setsid); }
long getsid(int pid) { return call(__NR_getsid, pid); }
long getpgid(int pid) { return call(__NR_getpgid, pid); }
long umask(unsigned mask) { return call(__NR_umask, mask); }
long fchdir(int fd) { return call(__NR_fchdir, fd); }
long prctl(int option, unsigned long a, unsigned long b) {
    return call(__NR_prctl, option, static_cast<long>(a), static_cast<long>(b));
}
long prlimit64(int pid, unsigned resource, const ResourceLimit* set, ResourceLimit* old) {
    return call(__NR_prlimit64, pid, resource, as_long(set), as_long(old));
}
long wait4(int pid, int* status, int options, rusage* usage) {
    return call(__NR_wait4, pid, as_long(status), options, as_long(usage));
}
long waitid_any(ChildInfo* info, int options) {
    constexpr int any = 0;  // P_ALL
    return call(__NR_waitid, any, 0, as_long(info), options);
}
long clock_gettime(int clock, Time* now) { return call(__NR_clock_gettime, clock, as_long(now)); }
long socketpair(int domain, int type, int protocol, int* fds) {
    return call(__NR_socketpair, domain, type, protocol, as_long(fds));
}
long accept4(int fd, int flags) { return call(__NR_accept4, fd, 0, 0, flags); }
long getsockopt(int fd, int level, int option, void* value, unsigned* size) {
    return call(__NR_getsockopt, fd, level, option, as_long(value), as_long(size));
}
long setsockopt(int fd, int level, int option, const void* value, unsigned size) {
    return call(__NR_setsockopt, fd, level, option, as_long(value), size);
}
long sendmsg(int fd, const MsgHdr* message, int flags) {
    return call(__NR_sendmsg, fd, as_long(message), flags);
}
long recvmsg(int fd, MsgHdr* message, int flags) {
    return call(__NR_recvmsg, fd, as_long(message), flags);
}
long send(int fd, const void* from, size_t size, int flags) {
    return call(__NR_sendto, fd, as_long(from), static_cast<long>(size), flags);
}
long recv(int fd, void* into, size_t size, int flags) {
    return call(__NR_recvfrom, fd, as_long(into), static_cast<long>(size), flags);
}
long open_new(int dir, const char* path, int flags, unsigned mode) {
    constexpr int create_exclusively = 0300;
    return call(__NR_openat, dir, as_long(path), flags | create_exclusively, mode);
}
long lseek(int fd, int64_t offset, int whence) { return call(__NR_lseek, fd, offset, whence); }
long munmap(void* where, size_t size) {
    return call(__NR_munmap, as_long(where), static_cast<long>(size));
}
long statx(int dir, const char* path, unsigned flags, unsigned mask, FileStatus* status) {
    return call(__NR_statx, dir, as_long(path), flags, mask, as_long(status));
}
long chdir(const char* path) { return call(__NR_chdir, as_long(path)); }
long statmount(const void* request, void* into, size_t room) {
    constexpr long number = 457;
    return call(number, as_long(request), as_long(into), static_cast<long>(room), 0);
}
long unshare(uint64_t flags) { return call(__NR_unshare, static_cast<long>(flags)); }
long fsopen(const char* type, unsigned flags) { return call(__NR_fsopen, as_long(type), flags); }
long fsconfig(int context, unsigned command, const char* key, const char* value) {
    return call(__NR_fsconfig, context, command, as_long(key), as_long(value), 0);
}
long fsmount(int context, unsigned flags, unsigned attributes) {
    return call(__NR_fsmount, context, flags, attributes);
}
long open_tree(int dir, const char* path, unsigned flags) {
    return call(__NR_open_tree, dir, as_long(path), flags);
}
long move_mount(int from, const char* from_path, int to, const char* to_path, unsigned flags) {
    return call(__NR_move_mount, from, as_long(from_path), to, as_long(to_path), flags);
}
long mount_setattr(int dir, const char* path, unsigned flags, void* attributes, size_t size) {
    return call(__NR_mount_setattr, dir, as_long(path), flags, as_long(attributes),
                static_cast<long>(size));
}
long symlinkat(const char* target, int dir, const char* path) {
    return call(__NR_symlinkat, as_long(target), dir, as_long(path));
}
long mknodat(int dir, const char* path, unsigned mode, unsigned device) {
    return call(__NR_mknodat, dir, as_long(path), mode, device);
}
long socket(int domain, int type, int protocol) {
    return call(__NR_socket, domain, type, protocol);
}
long getsockname(int fd, void* address, unsigned* size) {
    return call(__NR_getsockname, fd, as_long(address), as_long(size));
}
long bind(int fd, const void* address, unsigned size) {
    return call(__NR_bind, fd, as_long(address), size);
}
long listen(int fd, int backlog) { return call(__NR_listen, fd, backlog); }
long connect(int fd, const void* address, unsigned size) {
    return call(__NR_connect, fd, as_long(address), size);
}
long pidfd_getfd(int process, int fd) { return call(__NR_pidfd_getfd, process, fd, 0); }
long setresuid(int64_t real, int64_t effective, int64_t saved) {
    return call(__NR_setresuid, real, effective, saved);
}
long setresgid(int64_t real, int64_t effective, int64_t saved) {
    return call(__NR_setresgid, real, effective, saved);
}
long getgroups(int room, uint32_t* groups) { return call(__NR_getgroups, room, as_long(groups)); }
long setgroups(int count, const uint32_t* groups) {
    return call(__NR_setgroups, count, as_long(groups));
}
long capget(void* header, void* data) { return call(__NR_capget, as_long(header), as_long(data)); }
long capset(void* header, const void* data) {
    return call(__NR_capset, as_long(header), as_long(data));
}
long landlock_create_ruleset(const void* handled, size_t size, unsigned flags) {
    return call(__NR_landlock_create_ruleset, as_long(handled), static_cast<long>(size), flags);
}
long landlock_add_rule(int ruleset, int type, const void* rule) {
    return call(__NR_landlock_add_rule, ruleset, type, as_long(rule), 0);
}
long landlock_restrict_self(int ruleset, unsigned flags) {
    return call(__NR_landlock_restrict_self, ruleset, flags);
}
long seccomp(unsigned operation, unsigned flags, void* argument) {
    return call(__NR_seccomp, operation, flags, as_long(argument));
}
long set_time_slice(uint64_t nanoseconds) {
    sched_attr how{};
    const long known = call(__NR_sched_getattr, 0, as_long(&how), sizeof how, 0);
    if (known < 0) return known;
    how.sched_runtime = nanoseconds;
    return call(__NR_sched_setattr, 0, as_long(&how), 0);
}
long fork() { return call(__NR_clone, SIGCHLD); }
long fork_into(int cgroup) {
    clone_args how{};
    how.flags = CLONE_INTO_CGROUP;
    how.exit_signal = SIGCHLD;
    how.cgroup = static_cast<unsigned>(cgroup);
    return call(__NR_clone3, as_long(&how), sizeof how);
}
long execve(const char* path, const char* const* argv, const char* const* envp) {
    return call(__NR_execve, as_long(path), as_long(argv), as_long(envp));
}
void exit_group(int code) {
    for (;;) call(__NR_exit_group, code);
}

long vfork_call(const Stack& stack, int (*child)(void*), void* argument) {
    return clone_and_call(CLONE_VM | CLONE_VFORK | SIGCHLD, as_long(stack.base + stack.size), child,
                          argument);
}

}  // namespace sys

// The compiler calls these by name, whether or not the program does.
void* memcpy(void* to, const void* from, size_t size) {
    auto* out = static_cast<char*>(to);
    const auto* in = static_cast<const char*>(from);
    for (size_t i = 0; i < size; ++i) {
        out[i] = in[i];
        asm volatile("" ::: "memory");  // else the loop becomes a call of this very function
    }
    return to;
}

void* memset(void* to, int value, size_t size) {
    auto* out = static_cast<char*>(to);
    for (size_t i = 0; i < size; ++i) {
        out[i] = static_cast<char>(value);
        asm volatile("" ::: "memory");
    }
    return to;
}
