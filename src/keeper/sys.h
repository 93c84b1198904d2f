// Every system call that the keeper program can make, one function each. They return the
// kernel's answer: a value, or -errno. SYMBOLS lists those in use, and a test compares.
#pragma once

#include <linux/poll.h>
#include <linux/resource.h>
#include <stddef.h>
#include <stdint.h>

namespace sys {

struct IoVec {
    void* base;
    size_t size;
};

// As the kernel lays them out; libc's own headers are not for a program without libc.
struct MsgHdr {
    void* name;
    int name_size;
    IoVec* parts;
    size_t part_count;
    void* control;
    size_t control_size;
    unsigned flags;
};

struct ControlHdr {
    size_t size;
    int level;
    int type;
};

struct PeerCredentials {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};

struct Time {
    int64_t seconds;
    int64_t nanoseconds;
};

struct ResourceLimit {
    uint64_t soft;
    uint64_t hard;
};

struct FileLock {
    short type;
    short whence;
    int64_t start;
    int64_t length;
    int32_t pid;
};

// The parts of siginfo_t that waitid fills in.
struct ChildInfo {
    int signal;
    int error;
    int code;
    int padding;
    int32_t pid;
    uint32_t uid;
    int status;
    char rest[128 - 7 * sizeof(int)];
};

long read(int fd, void* into, size_t size);
long pread(int fd, void* into, size_t size, int64_t offset);
long write(int fd, const void* from, size_t size);
long pwrite(int fd, const void* from, size_t size, int64_t offset);
long openat(int dir, const char* path, int flags);
long faccessat2(int dir, const char* path, int mode, int flags);
// `how` is an open_how.
long openat2(int dir, const char* path, const void* how, size_t size);
long renameat2(int from, const char* path, int to, const char* as, unsigned flags);
long fchmodat(int dir, const char* path, unsigned mode);
long mkdirat(int dir, const char* path, unsigned mode);
long unlinkat(int dir, const char* path, int flags);
long close(int fd);
long close_range(unsigned first, unsigned last, unsigned flags);
long dup3(int fd, int as, int flags);
long pipe2(int* fds, int flags);
long fcntl(int fd, int command, long argument);
long fcntl_lock(int fd, int command, FileLock* lock);
long ioctl(int fd, unsigned long request, void* argument);
long fstatfs(int fd, void* info);
long readlinkat(int dir, const char* path, char* into, size_t room);
// Of another process, from its address.
long process_vm_read(int pid, uint64_t address, void* into, size_t size);
long process_vm_write(int pid, uint64_t address, const void* from, size_t size);
long ftruncate(int fd, int64_t size);
long fallocate(int fd, int mode, int64_t offset, int64_t length);
long getdents64(int fd, void* into, size_t size);
long mmap(void* where, size_t size, int protection, int flags, int fd, int64_t offset);
long madvise(void* where, size_t size, int advice);
long ppoll(pollfd* fds, unsigned count, const Time* timeout);
long signalfd4(int fd, const uint64_t* mask, int flags);
long rt_sigprocmask(int how, const uint64_t* set);
long rt_sigaction_default(int signal);
// From now on the signal interrupts a call that waits (EINTR), and does nothing else.
long rt_sigaction_interrupt(int signal);
// SIGALRM after so long, and again and again; 0: no more.
long setitimer(uint64_t microseconds);
long rt_sigqueueinfo(int pid, int signal, void* info);
long kill(int pid, int signal);
long pidfd_open(int pid, unsigned flags);
long pidfd_send_signal(int process, int signal);
long getpid();
long geteuid();
long getegid();
long setsid();
long getsid(int pid);
long getpgid(int pid);
long umask(unsigned mask);
long fchdir(int fd);
long prctl(int option, unsigned long a, unsigned long b);
long prlimit64(int pid, unsigned resource, const ResourceLimit* set, ResourceLimit* old);
long wait4(int pid, int* status, int options, rusage* usage);
long waitid_any(ChildInfo* info, int options);
long clock_gettime(int clock, Time* now);
long socketpair(int domain, int type, int protocol, int* fds);
long accept4(int fd, int flags);
long getsockopt(int fd, int level, int option, void* value, unsigned* size);
long setsockopt(int fd, int level, int option, const void* value, unsigned size);
long sendmsg(int fd, const MsgHdr* message, int flags);
long recvmsg(int fd, MsgHdr* message, int flags);
long send(int fd, const void* from, size_t size, int flags);
long recv(int fd, void* into, size_t size, int flags);
// What walls are built with, once for each session.
long open_new(int dir, const char* path, int flags, unsigned mode);  // O_CREAT | O_EXCL
long lseek(int fd, int64_t offset, int whence);
long munmap(void* where, size_t size);
long chdir(const char* path);
struct FileStatus {  // the parts of statx that are asked for
    uint32_t mask;
    uint32_t block_size;
    uint64_t attributes;
    uint32_t links;
    uint32_t uid;
    uint32_t gid;
    uint16_t mode;
    uint16_t padding;
    uint64_t inode;
    uint64_t size;
    uint64_t blocks;  // of 512 bytes
    char between[80 - 56];
    int64_t born_seconds;
    uint32_t born_nanoseconds;
    char more_times[136 - 92];
    uint32_t device_major;
    uint32_t device_minor;
    uint64_t mount;
    char rest[256 - 152];
};
static_assert(sizeof(FileStatus) == 256);
long statx(int dir, const char* path, unsigned flags, unsigned mask, FileStatus* status);
// `request` is a mnt_id_req. Linux 6.8.
long statmount(const void* request, void* into, size_t room);
long unshare(uint64_t flags);
long fsopen(const char* type, unsigned flags);
long fsconfig(int context, unsigned command, const char* key, const char* value);
long fsmount(int context, unsigned flags, unsigned attributes);
long open_tree(int dir, const char* path, unsigned flags);
long move_mount(int from, const char* from_path, int to, const char* to_path, unsigned flags);
long mount_setattr(int dir, const char* path, unsigned flags, void* attributes, size_t size);
long symlinkat(const char* target, int dir, const char* path);
long mknodat(int dir, const char* path, unsigned mode, unsigned device);
long socket(int domain, int type, int protocol);
long bind(int fd, const void* address, unsigned size);
long listen(int fd, int backlog);
long connect(int fd, const void* address, unsigned size);
long getsockname(int fd, void* address, unsigned* size);
long pidfd_getfd(int process, int fd);
long setresuid(int64_t real, int64_t effective, int64_t saved);  // -1: as it is
long setresgid(int64_t real, int64_t effective, int64_t saved);
long getgroups(int room, uint32_t* groups);
long setgroups(int count, const uint32_t* groups);
long capget(void* header, void* data);
long capset(void* header, const void* data);
long landlock_create_ruleset(const void* handled, size_t size, unsigned flags);
long landlock_add_rule(int ruleset, int type, const void* rule);
long landlock_restrict_self(int ruleset, unsigned flags);
// How long this thread may run at a time. A short while is let in sooner. Linux 6.12.
long set_time_slice(uint64_t nanoseconds);
long seccomp(unsigned operation, unsigned flags, void* argument);

long fork();
long fork_into(int cgroup);
// Runs `child(argument)` in a process that shares this memory, on a stack of its own; this
// process goes on when the child has executed a program or ended.
struct Stack {
    char* base;
    size_t size;
};
long vfork_call(const Stack& stack, int (*child)(void*), void* argument);
long execve(const char* path, const char* const* argv, const char* const* envp);
[[noreturn]] void exit_group(int code);

// Closes what is open, and remembers.
inline void close_once(int& fd) {
    if (fd >= 0) close(fd);
    fd = -1;
}

}  // namespace sys

extern "C" {
void* memcpy(void* to, const void* from, size_t size);
void* memset(void* to, int value, size_t size);
}
