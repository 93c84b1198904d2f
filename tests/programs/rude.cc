// rude PROGRAM ARGS...: runs a program as a careless caller would: with signals ignored and
// blocked, and with descriptors that nobody asked for.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <initializer_list>

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGCHLD, SIGUSR1, SIGRTMAX})
        if (std::signal(signal, SIG_IGN) == SIG_ERR) return 1;
    sigset_t blocked;
    ::sigemptyset(&blocked);
    for (const int signal : {SIGTERM, SIGCHLD, SIGALRM, SIGUSR2}) ::sigaddset(&blocked, signal);
    if (::sigprocmask(SIG_BLOCK, &blocked, nullptr) != 0) return 1;
    for (const int as : {3, 4, 5, 9, 10, 63, 200}) {
        const int fd = ::open("/dev/zero", O_RDWR);
        if (::dup2(fd, as) < 0) return 1;
        if (fd != as) ::close(fd);
    }
    ::execvp(argv[1], argv + 1);
    return 127;
}
