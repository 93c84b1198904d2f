// Looking into another process, and writing into it. The victim is here too.
#include <fcntl.h>
#include <linux/kcmp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

constexpr size_t cell_size = 32;

char* cell_at(const std::string& text) {
    return reinterpret_cast<char*>(std::strtoull(text.c_str(), nullptr, 16));
}

int show(const char* bytes) {
    std::printf("%.*s\n", static_cast<int>(cell_size), bytes);
    return done;
}

int read_memory(Arguments a) {
    char buffer[cell_size + 1] = {};
    const iovec to{buffer, cell_size};
    const iovec from{cell_at(a[1]), cell_size};
    return ::process_vm_readv(number(a[0]), &to, 1, &from, 1, 0) > 0 ? show(buffer)
                                                                     : refused("process_vm_readv");
}

int write_memory(Arguments a) {
    char spoiled[] = "spoiled";
    const iovec from{spoiled, sizeof spoiled};
    const iovec to{cell_at(a[1]), sizeof spoiled};
    return ::process_vm_writev(number(a[0]), &from, 1, &to, 1, 0) > 0
               ? done
               : refused("process_vm_writev");
}

int memory_file(Arguments a, int flags) {
    const std::string path = "/proc/" + a[0] + "/mem";
    const int fd = ::open(path.c_str(), flags);
    if (fd < 0) return refused(path);
    char buffer[cell_size + 1] = "spoiled";
    const auto at = static_cast<off_t>(reinterpret_cast<uintptr_t>(cell_at(a[1])));
    if (flags == O_RDONLY)
        return ::pread(fd, buffer, cell_size, at) > 0 ? show(buffer) : refused("pread");
    return ::pwrite(fd, buffer, 8, at) > 0 ? done : refused("pwrite");
}

int read_memory_file(Arguments a) { return memory_file(a, O_RDONLY); }
int write_memory_file(Arguments a) { return memory_file(a, O_RDWR); }

int attach_and_poke(Arguments a) {
    const int pid = number(a[0]);
    if (::ptrace(PTRACE_ATTACH, pid, nullptr, nullptr) != 0) return refused("PTRACE_ATTACH");
    ::waitpid(pid, nullptr, 0);
    const long word = 0x64656c696f7073;  // "spoiled"
    const bool poked = ::ptrace(PTRACE_POKEDATA, pid, cell_at(a[1]), word) == 0;
    ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
    return poked ? done : refused("PTRACE_POKEDATA");
}

int seize_and_peek(Arguments a) {
    const int pid = number(a[0]);
    if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) return refused("PTRACE_SEIZE");
    ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr);
    ::waitpid(pid, nullptr, __WALL);
    char buffer[cell_size + 1] = {};
    for (size_t i = 0; i < cell_size; i += sizeof(long)) {
        const long word = ::ptrace(PTRACE_PEEKDATA, pid, cell_at(a[1]) + i, nullptr);
        std::memcpy(buffer + i, &word, sizeof word);
    }
    ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
    return show(buffer);
}

// Nothing is changed: the memory of a process of Husk is nobody's cell.
int trace(Arguments a) {
    const int pid = number(a[0]);
    if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) return refused("PTRACE_SEIZE");
    ::ptrace(PTRACE_INTERRUPT, pid, nullptr, nullptr);
    ::waitpid(pid, nullptr, __WALL);
    ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
    return reveal();
}

#ifdef __x86_64__
// A child calls getpid, and its tracer makes another call of it. The filter has to see that one.
int rewrite_call(Arguments) {
    const pid_t child = ::fork();
    if (child == 0) {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(refused_code);
        ::raise(SIGSTOP);
        const long result = ::syscall(SYS_getpid);
        ::_exit(result == 0 ? done : refused_code);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) return refused("PTRACE_TRACEME");
    for (bool rewritten = false; !rewritten;) {
        ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
        if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) break;
        user_regs_struct registers{};
        ::ptrace(PTRACE_GETREGS, child, nullptr, &registers);
        if (registers.orig_rax != SYS_getpid) continue;
        registers.orig_rax = SYS_unshare;
        registers.rdi = 0x10000000;  // CLONE_NEWUSER
        ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
        rewritten = true;
    }
    ::ptrace(PTRACE_DETACH, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == done ? reveal() : refused("unshare");
}
#else
int rewrite_call(Arguments) { return absent("registers of x86-64"); }
#endif

int take_descriptor(Arguments a) {
    const long process = ::syscall(SYS_pidfd_open, number(a[0]), 0);
    if (process < 0) return refused("pidfd_open");
    const long fd = ::syscall(SYS_pidfd_getfd, process, number(a[1]), 0);
    if (fd < 0) return refused("pidfd_getfd");
    char buffer[cell_size + 1] = {};
    return ::pread(static_cast<int>(fd), buffer, cell_size, 0) > 0 ? show(buffer)
                                                                   : refused("pread");
}

int compare(Arguments a) {
    return ::syscall(SYS_kcmp, ::getpid(), number(a[0]), KCMP_VM, 0, 0) >= 0 ? reveal()
                                                                             : refused("kcmp");
}

int advise(Arguments a) {
    const long process = ::syscall(SYS_pidfd_open, number(a[0]), 0);
    if (process < 0) return refused("pidfd_open");
    const auto page = reinterpret_cast<uintptr_t>(cell_at(a[1])) & ~uintptr_t{4095};
    const iovec range{reinterpret_cast<void*>(page), 4096};
    return ::syscall(SYS_process_madvise, process, &range, 1, MADV_COLD, 0) > 0
               ? reveal()
               : refused("process_madvise");
}

int enter_namespace(Arguments a) {
    const std::string path = "/proc/" + a[0] + "/ns/" + a[1];
    const int fd = ::open(path.c_str(), O_RDONLY);
    if (fd < 0) return refused(path);
    return ::syscall(SYS_setns, fd, 0) == 0 ? reveal() : refused("setns");
}

int enter_by_pidfd(Arguments a) {
    const long process = ::syscall(SYS_pidfd_open, number(a[0]), 0);
    if (process < 0) return refused("pidfd_open");
    constexpr int uts = 0x04000000;
    return ::syscall(SYS_setns, process, uts) == 0 ? reveal() : refused("setns");
}

// victim SECRET: a process that has it in its memory and in a file without a name, and waits to be
// killed. Says where: "ready ADDRESS DESCRIPTOR".
int victim(Arguments a) {
    static char cell[cell_size + 1];
    std::strncpy(cell, a[0].c_str(), cell_size);
    ::prctl(PR_SET_NAME, a[0].substr(0, 15).c_str());
    constexpr unsigned long anybody = ~0UL;
    ::prctl(PR_SET_PTRACER, anybody, 0, 0, 0);  // where Yama would keep everybody out
    ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);       // it may come from root
    const int file = ::memfd_create(a[0].c_str(), 0);
    if (::write(file, cell, cell_size) < 0) return refused("write");
    if (::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file, 0) == MAP_FAILED) return refused("mmap");
    std::printf("ready %llx %d\n",
                static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(cell)), file);
    std::fflush(stdout);
    constexpr unsigned life = 100;
    ::alarm(life);
    for (;;) ::pause();
}

constexpr Verb verbs[] = {
    {"read-memory", read_memory},
    {"write-memory", write_memory},
    {"read-memory-file", read_memory_file},
    {"write-memory-file", write_memory_file},
    {"attach", attach_and_poke},
    {"seize", seize_and_peek},
    {"trace", trace},
    {"rewrite-call", rewrite_call},
    {"take-descriptor", take_descriptor},
    {"compare", compare},
    {"advise", advise},
    {"enter-namespace", enter_namespace},
    {"enter-by-pidfd", enter_by_pidfd},
    {"victim", victim},
};

}  // namespace

std::span<const Verb> process_verbs() { return verbs; }

}  // namespace probe
