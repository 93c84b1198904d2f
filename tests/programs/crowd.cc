// crowd COUNT WORD: leaves so many children behind that do nothing, for 20 seconds at most.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    constexpr int most = 1000;
    constexpr unsigned life = 20;
    const int count = std::min(std::atoi(argv[1]), most);
    for (int i = 0; i < count; ++i) {
        const pid_t pid = ::fork();
        if (pid < 0) return 1;
        if (pid > 0) continue;
        ::alarm(life);
        for (;;) ::pause();
    }
    return 0;
}
