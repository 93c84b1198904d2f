// daemon WORD: leaves one process that has done all it can to be nobody's: forked twice, leader of
// a session of its own, in "/", with no descriptor open. It lives for 20 seconds at most.
#include <unistd.h>

int main(int argc, char**) {
    if (argc != 2) return 2;
    if (::fork() != 0) return 0;
    ::setsid();
    if (::fork() != 0) return 0;
    if (::chdir("/") != 0) return 1;
    ::close_range(0, ~0U, 0);
    constexpr unsigned life = 20;
    ::alarm(life);
    for (;;) ::pause();
}
