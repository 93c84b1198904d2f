// Processes: what a keeper does to hold a tree together.
#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "os/probe.h"
#include "os/process.h"

namespace husk::os::probe {
namespace {

constexpr int one_second = 1000;

Outcome signal_by_descriptor() {
    const Sleeper sleeper;
    if (sleeper.pid() < 0) return failed_at("fork");
    const Fd process(static_cast<int>(::syscall(SYS_pidfd_open, sleeper.pid(), 0)));
    if (!process) return failed_at("pidfd_open");
    pollfd wanted{process.get(), POLLIN, 0};
    if (::poll(&wanted, 1, 0) != 0) return failed_at("poll of a living process", 0);
    if (::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) != 0)
        return failed_at("pidfd_send_signal");
    if (::poll(&wanted, 1, one_second) != 1) return failed_at("poll of an ended process", 0);
    return well();
}

// Forks a process that waits, tells its number, and leaves it an orphan.
[[noreturn]] void leave_an_orphan(const Fd& telling) {
    // Not bound: its parent is to die before it.
    const pid_t orphan = ::fork();
    if (orphan == 0) {
        ::alarm(2);
        for (;;) ::pause();
    }
    const bool told = ::write(telling.get(), &orphan, sizeof orphan) == sizeof orphan;
    ::_exit(orphan > 0 && told ? 0 : 1);
}

Outcome adopt_an_orphan() {
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return failed_at("PR_SET_CHILD_SUBREAPER");
    const Result<Pipe> pipe = make_pipe();
    if (!pipe) return failed_at("pipe2");
    const pid_t parent = fork_bound();
    if (parent < 0) return failed_at("fork");
    if (parent == 0) leave_an_orphan(pipe->writing);
    if (exit_code_of(parent) != 0) return failed_at("fork", EAGAIN);
    pid_t orphan = 0;
    if (::read(pipe->reading.get(), &orphan, sizeof orphan) != sizeof orphan)
        return failed_at("read");
    ::kill(orphan, SIGKILL);
    if (::waitpid(orphan, nullptr, 0) != orphan) return failed_at("an orphan did not arrive");
    return well();
}

// Whether "12 345 6 " has the number in it.
bool lists(const char* text, pid_t pid) {
    const char* end = text + std::strlen(text);
    while (text < end) {
        pid_t number = 0;
        const auto parsed = std::from_chars(text, end, number);
        if (number == pid) return true;
        text = parsed.ptr + 1;
    }
    return false;
}

Outcome find_a_child() {
    const Sleeper sleeper;
    if (sleeper.pid() < 0) return failed_at("fork");
    // By number, as the keeper has to: a /proc of another PID namespace would show strangers.
    char path[64];
    std::snprintf(path, sizeof path, "/proc/%d/task/%d/children", ::getpid(), ::gettid());
    const Fd file(::open(path, O_RDONLY | O_CLOEXEC));
    if (!file) return failed_at("open /proc/<pid>/task/<tid>/children");
    char text[256] = {};
    if (::read(file.get(), text, sizeof text - 1) < 0) return failed_at("read");
    if (!lists(text, sleeper.pid())) return failed_at("a child is not in the list", 0);
    return well();
}

// A whole program: it exits with 0.
struct Image {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    unsigned char code[12];
};

Image smallest_program() {
    constexpr Elf64_Addr base = 0x400000;
    Image image{};
    std::memcpy(image.header.e_ident, ELFMAG, SELFMAG);
    image.header.e_ident[EI_CLASS] = ELFCLASS64;
    image.header.e_ident[EI_DATA] = ELFDATA2LSB;
    image.header.e_ident[EI_VERSION] = EV_CURRENT;
    image.header.e_type = ET_EXEC;
    image.header.e_version = EV_CURRENT;
    image.header.e_entry = base + offsetof(Image, code);
    image.header.e_phoff = offsetof(Image, segment);
    image.header.e_ehsize = sizeof(Elf64_Ehdr);
    image.header.e_phentsize = sizeof(Elf64_Phdr);
    image.header.e_phnum = 1;
    constexpr Elf64_Xword page = 0x10000;  // the largest that either machine has
    image.segment = {PT_LOAD, PF_R | PF_X, 0, base, base, sizeof(Image), sizeof(Image), page};
#if defined(__x86_64__)
    image.header.e_machine = EM_X86_64;
    // xor edi, edi; mov eax, 231 (exit_group); syscall
    constexpr unsigned char exit_0[] = {0x31, 0xff, 0xb8, 0xe7, 0, 0, 0, 0x0f, 0x05};
#elif defined(__aarch64__)
    image.header.e_machine = EM_AARCH64;
    // mov x0, 0; mov x8, 94 (exit_group); svc 0
    constexpr unsigned char exit_0[] = {0, 0, 0x80, 0xd2, 0xc8, 0x0b, 0x80, 0xd2, 1, 0, 0, 0xd4};
#else
#error "the keeper knows x86-64 and aarch64"
#endif
    std::memcpy(image.code, exit_0, sizeof exit_0);
    return image;
}

Outcome execute(const Fd& program) {
    const pid_t child = fork_bound();
    if (child < 0) return failed_at("fork");
    if (child == 0) {
        const char* const argv[] = {"husk-probe", nullptr};
        const char* const envp[] = {nullptr};
        ::syscall(SYS_execveat, program.get(), "", argv, envp, AT_EMPTY_PATH);
        ::_exit(errno);
    }
    const int code = exit_code_of(child);
    if (code > 0) return failed_at("execveat", code);
    return code == 0 ? well() : failed_at("the program was killed", 0);
}

Result<std::string> execute_from_memory() {
    const Image image = smallest_program();
    // Made by the function that makes the keeper's, so that this cannot say anything else.
    const Fd program = TRY(program_file({reinterpret_cast<const char*>(&image), sizeof image}));
    return in_child([&] { return execute(program); });
}

}  // namespace

Capability pidfd() {
    return judged({.mechanism = "pidfd",
                   .needed_for = "signals to the right process",
                   .without = nothing_runs,
                   .remedy = "Linux 5.4 or newer; a container has to allow pidfd_open and "
                             "pidfd_send_signal",
                   .required = true},
                  in_child(signal_by_descriptor));
}

Capability subreaper() {
    return judged({.mechanism = "subreaper",
                   .needed_for = "keeping orphans in the tree",
                   .without = nothing_runs,
                   .remedy = "a container that allows PR_SET_CHILD_SUBREAPER",
                   .required = true},
                  in_child(adopt_an_orphan));
}

Capability lists_of_children() {
    return judged({.mechanism = "lists of children",
                   .needed_for = "finding the whole tree",
                   .without = nothing_runs,
                   .remedy = "a kernel with CONFIG_PROC_CHILDREN, and the /proc of this PID "
                             "namespace on /proc",
                   .required = true},
                  in_child(find_a_child));
}

Capability executing_from_memory() {
    return judged({.mechanism = "executing from memory",
                   .needed_for = "starting the keeper",
                   .without = nothing_runs,
                   .remedy = "sysctl vm.memfd_noexec=0; a container has to allow memfd_create "
                             "and execveat",
                   .required = true},
                  execute_from_memory());
}

}  // namespace husk::os::probe
