// Typing into somebody's terminal.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "probe.h"

namespace probe {
namespace {

int type_into(int fd) {
    for (const char c : mark() + "\n")
        if (::ioctl(fd, TIOCSTI, &c) != 0) return refused("TIOCSTI");
    return done;
}

int type_by_path(Arguments a) {
    const int fd = ::open(a[0].c_str(), O_RDWR | O_NOCTTY);
    return fd < 0 ? refused(a[0]) : type_into(fd);
}

// Takes it as its own terminal first, as a new session may.
int adopt_and_type(Arguments a) {
    if (::setsid() < 0) return refused("setsid");
    const int fd = ::open(a[0].c_str(), O_RDWR);
    if (fd < 0) return refused(a[0]);
    ::ioctl(fd, TIOCSCTTY, 1);
    const int result = type_into(fd);
    // The end of its leader hangs a terminal up, and what nobody has read by then is lost.
    constexpr useconds_t time_to_read = 200'000;
    ::usleep(time_to_read);
    return result;
}

int type_by_descriptor(Arguments a) { return type_into(number(a[0])); }

int steal_line(Arguments a) {
    const int fd = ::open(a[0].c_str(), O_RDONLY | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return refused(a[0]);
    char text[256] = {};
    const ssize_t got = ::read(fd, text, sizeof text - 1);
    if (got <= 0) return refused("read");
    std::puts(text);
    return done;
}

// A question to the console, answered with a byte.
int console(Arguments a) {
    const int fd = ::open(a[0].c_str(), O_RDWR | O_NOCTTY);
    if (fd < 0) return refused(a[0]);
    char shift_state = 6;
    return ::ioctl(fd, TIOCLINUX, &shift_state) >= 0 ? reveal() : refused("TIOCLINUX");
}

int smaller(Arguments a) {
    const int fd = ::open(a[0].c_str(), O_RDWR | O_NOCTTY);
    if (fd < 0) return refused(a[0]);
    const winsize size{7, 7, 0, 0};
    return ::ioctl(fd, TIOCSWINSZ, &size) == 0 ? done : refused("TIOCSWINSZ");
}

// on-terminal PATH PROGRAM...: runs a program as a terminal does, with it as descriptor 37 too.
int on_terminal(Arguments a) {
    ::setsid();
    const int fd = ::open(a[0].c_str(), O_RDWR);
    if (fd < 0) return refused(a[0]);
    ::ioctl(fd, TIOCSCTTY, 0);
    constexpr int number_of_it = 37;
    ::dup2(fd, number_of_it);
    std::vector<char*> words;
    for (const std::string& word : a.subspan(1)) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    return refused(a[1]);
}

constexpr Verb verbs[] = {
    {"type-by-path", type_by_path},
    {"adopt-and-type", adopt_and_type},
    {"type-by-descriptor", type_by_descriptor},
    {"steal-line", steal_line},
    {"console", console},
    {"on-terminal", on_terminal},
    {"shrink-terminal", smaller},
};

}  // namespace

std::span<const Verb> terminal_verbs() { return verbs; }

}  // namespace probe
