// The program husk-warden: static, runs inside of containers. See warden_wire.h.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

#include "place/warden_mounts.h"
#include "place/warden_processes.h"
#include "place/warden_wire.h"

// The first thing that this program does is to keep others of its user out of its memory (prctl
// with PR_SET_DUMPABLE): before there is a C library, and so before anybody can have found it.
#if defined(__x86_64__)
asm(R"(
    .text
    .globl husk_warden_entry
husk_warden_entry:
    movl $157, %eax
    movl $4, %edi
    xorl %esi, %esi
    syscall
    jmp _start
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .globl husk_warden_entry
husk_warden_entry:
    mov x8, #167
    mov x0, #4
    mov x1, #0
    svc #0
    mov x0, #0
    b _start
)");
#else
#error "the warden does not know how to begin on this machine"
#endif

namespace {

namespace warden = husk::place::warden;

constexpr int cannot_run = 126;
constexpr int not_found = 127;
constexpr int killed = 128 + SIGKILL;
constexpr int grace_ms = 20;  // for what ends right after the command

int code_of(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

[[noreturn]] void kill_tree_and_end(int code) {
    warden::kill_tree();
    std::_Exit(code);
}

// The whole of it, whoever made the descriptor non-blocking.
void write_all(int fd, const char* text, size_t size) {
    while (size > 0) {
        const ssize_t done = ::write(fd, text, size);
        if (done > 0) {
            text += done;
            size -= static_cast<size_t>(done);
        } else if (errno == EAGAIN) {
            pollfd writable{fd, POLLOUT, 0};
            ::poll(&writable, 1, -1);
        } else if (errno != EINTR) {
            return;
        }
    }
}

[[noreturn]] void fail(const char* what, const char* on) {
    const int error = errno;
    char line[4352];
    const int size =
        std::snprintf(line, sizeof line, "husk: %s: %s: %s\n", what, on, std::strerror(error));
    write_all(STDERR_FILENO, line, static_cast<size_t>(size));
    std::_Exit(error == ENOENT ? not_found : cannot_run);
}

// As the container's first process has them. Engines have limits too, but some forget them for what
// is started later.
void take_limits() {
    for (const auto resource : {RLIMIT_CORE, RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_NOFILE}) {
        rlimit first{};
        rlimit own{};
        if (::prlimit(1, resource, nullptr, &first) != 0) continue;
        if (::getrlimit(resource, &own) != 0) continue;
        if (first.rlim_max > own.rlim_max) first.rlim_max = own.rlim_max;
        if (first.rlim_cur > first.rlim_max) first.rlim_cur = first.rlim_max;
        ::setrlimit(resource, &first);
    }
}

[[noreturn]] void become_command(const char* directory, char** words, int input) {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::setsid();
    take_limits();
    ::dup2(input, STDIN_FILENO);
    if (!warden::all_is_mounted_as_planned()) std::_Exit(cannot_run);
    if (::chdir(directory) != 0) fail("cannot enter the working directory", directory);
    // The shell is never one that a variable of the call leads to.
    if (std::strcmp(words[0], "bash") == 0)
        for (const char* shell : {"/usr/bin/bash", "/bin/bash", "/usr/local/bin/bash"})
            ::execv(shell, words);
    else
        ::execvp(words[0], words);
    fail("cannot run", words[0]);
}

// One command and all that it starts.
class Keeping {
public:
    Keeping(const char* directory, char** words) {
        size_t got = 0;
        while (got < warden::secret_size) {
            const ssize_t more = ::read(STDIN_FILENO, secret_ + got, warden::secret_size - got);
            if (more <= 0) std::_Exit(killed);
            got += static_cast<size_t>(more);
        }
        ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        sigset_t children;
        ::sigemptyset(&children);
        ::sigaddset(&children, SIGCHLD);
        ::sigprocmask(SIG_BLOCK, &children, nullptr);
        endings_ = ::signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
        int input[2];
        if (endings_ < 0 || ::pipe2(input, O_CLOEXEC) != 0) fail("cannot start", words[0]);
        main_ = ::fork();
        if (main_ < 0) fail("cannot start", words[0]);
        if (main_ == 0) become_command(directory, words, input[0]);
        ::close(input[0]);
        input_ = input[1];
        ::fcntl(input_, F_SETFL, O_NONBLOCK);
    }

    [[noreturn]] void keep() {
        std::signal(SIGPIPE, SIG_IGN);
        for (;;) {
            pollfd fds[] = {{endings_, POLLIN, 0},
                            // Not read while input is on its way to a command that does not take
                            // it; that the other end has closed is told all the same.
                            {STDIN_FILENO, static_cast<short>(pending_ > 0 ? 0 : POLLIN), 0},
                            {pending_ > 0 ? input_ : -1, POLLOUT, 0}};
            const bool waits = main_ended_ && !told_;
            const int ready = ::poll(fds, 3, waits ? grace_ms : -1);
            if (ready == 0) tell();
            if (fds[0].revents != 0) reap();
            if ((fds[1].revents & POLLIN) != 0) {
                read_frames();
            } else if (fds[1].revents != 0) {
                kill_tree_and_end(killed);
            }
            if (fds[2].revents != 0) pass_input();
        }
    }

private:
    void reap() {
        signalfd_siginfo one;
        while (::read(endings_, &one, sizeof one) > 0) {
        }
        int status = 0;
        pid_t pid = 0;
        while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
            if (pid != main_) continue;
            main_ended_ = true;
            code_ = code_of(status);
        }
        if (pid < 0 && errno == ECHILD) std::_Exit(code_);
    }

    // To both streams, so that whoever reads them knows that nothing of before is under way.
    void tell() {
        char note[warden::note_size + 1];
        std::memcpy(note, warden::note_mark, warden::note_mark_size);
        std::memcpy(note + warden::note_mark_size, secret_, warden::secret_size);
        std::snprintf(note + warden::note_mark_size + warden::secret_size, 4, "%03d", code_);
        for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) write_all(fd, note, warden::note_size);
        told_ = true;
    }

    void read_frames() {
        const ssize_t got = ::read(STDIN_FILENO, frames_ + have_, sizeof frames_ - have_);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (got <= 0) kill_tree_and_end(killed);
        have_ += static_cast<size_t>(got);
        take_frame();
    }

    // The first frame, if all of it is there. Those behind it wait until its input has been taken.
    void take_frame() {
        while (pending_ == 0 && have_ >= warden::frame_head) {
            uint32_t size = 0;
            for (size_t i = 0; i < 4; ++i)
                size |= uint32_t{static_cast<unsigned char>(frames_[1 + i])} << (8 * i);
            if (size > warden::largest_frame) kill_tree_and_end(killed);
            if (have_ < warden::frame_head + size) return;
            const char* content = frames_ + warden::frame_head;
            if (frames_[0] == warden::frame_signal && size == 1)
                warden::signal_tree(static_cast<unsigned char>(content[0]));
            if (frames_[0] == warden::frame_end) close_input();
            if (frames_[0] == warden::frame_input && input_ >= 0) {
                std::memcpy(input_text_, content, size);
                pending_ = size;
                passed_ = 0;
            }
            have_ -= warden::frame_head + size;
            std::memmove(frames_, content + size, have_);
        }
    }

    void pass_input() {
        const ssize_t done = ::write(input_, input_text_ + passed_, pending_);
        if (done < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (done < 0) {
            pending_ = 0;  // nobody reads it any more
            close_input();
        } else {
            passed_ += static_cast<size_t>(done);
            pending_ -= static_cast<size_t>(done);
        }
        take_frame();
    }

    void close_input() {
        if (input_ >= 0) ::close(input_);
        input_ = -1;
    }

    char secret_[warden::secret_size] = {};
    pid_t main_ = 0;
    int endings_ = -1;
    int input_ = -1;
    bool main_ended_ = false;
    bool told_ = false;
    int code_ = killed;
    char frames_[warden::frame_head + warden::largest_frame] = {};
    size_t have_ = 0;
    char input_text_[warden::largest_frame] = {};
    size_t pending_ = 0;
    size_t passed_ = 0;
};

// Commands are started from outside, so whoever becomes a child here has lost its warden, and goes
// with all that it has started; and a warden that was stopped keeps nothing. Returns whether
// somebody lives here.
bool tidy_up() {
    bool anybody = false;
    for (const warden::Process& one : warden::look_around()) {
        anybody = anybody || one.pid != 1;
        if (one.parent == 0 && one.state == 'T') ::kill(one.pid, SIGKILL);
    }
    warden::kill_tree();
    return anybody;
}

// The number that the newest process here has got: also that of one which came and went between
// two looks.
long newest() {
    const int fd = ::open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    char text[128];
    const ssize_t size = ::read(fd, text, sizeof text - 1);
    ::close(fd);
    if (size <= 0) return 0;
    text[size] = '\0';
    const char* last = std::strrchr(text, ' ');
    return last == nullptr ? 0 : std::strtol(last, nullptr, 10);
}

// 0 is none. More than there is cannot be had.
void set_limit(decltype(RLIMIT_CORE) resource, const char* text) {
    const rlim_t wanted = std::strtoull(text, nullptr, 10);
    rlimit own{};
    if (wanted == 0 || ::getrlimit(resource, &own) != 0) return;
    own.rlim_max = wanted < own.rlim_max ? wanted : own.rlim_max;
    own.rlim_cur = own.rlim_max;
    ::setrlimit(resource, &own);
}

[[noreturn]] void be_first(long linger) {
    constexpr long first_patience = 60;  // until there is a command at all
    long idle = 0;
    long known = newest();
    bool was_used = false;
    for (;;) {
        const timespec tick = {1, 0};
        ::nanosleep(&tick, nullptr);
        const bool anybody = tidy_up() || newest() != known;
        known = newest();
        was_used = was_used || anybody;
        idle = anybody ? 0 : idle + 1;
        if (idle > linger && (was_used || idle > first_patience)) std::_Exit(0);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc >= 7 && std::strcmp(argv[1], "init") == 0) {
        const rlimit none{};
        ::setrlimit(RLIMIT_CORE, &none);
        set_limit(RLIMIT_NOFILE, argv[3]);
        set_limit(RLIMIT_FSIZE, argv[4]);
        set_limit(RLIMIT_CPU, argv[5]);
        be_first(std::strtol(argv[2], nullptr, 10));
    }
    if (argc < 4 || std::strcmp(argv[1], "run") != 0) return cannot_run;
    static Keeping keeping(argv[2], argv + 3);
    keeping.keep();
}
