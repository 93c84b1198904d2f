// become_root WORD: as sudo would run it. With the setuid bit it belongs to root, and nobody else
// may signal it. Says "root" or "not root", and lives for a minute at most; not for the word check.
#include <unistd.h>

#include <cstdio>
#include <cstring>

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const bool is_root = ::setuid(0) == 0;
    std::puts(is_root ? "root" : "not root");
    std::fflush(stdout);
    if (!is_root || std::strcmp(argv[1], "check") == 0) return is_root ? 0 : 1;
    constexpr unsigned life = 60;
    ::alarm(life);
    for (;;) ::pause();
}
