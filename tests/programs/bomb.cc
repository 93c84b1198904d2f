// bomb wide|running WORD: processes that call setsid and fork on while they are being killed.
// Wide: 1000 that stay and fill every gap, with pauses, so that the machine stays usable. Running:
// 50 that fork and exit, so that each has a new pid all the time. Ends by itself after 20 seconds.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

constexpr int most = 1000;
constexpr int runners = 50;

bool is_free(pid_t pid) { return pid == 0 || (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH); }

// A place is free again when the process in it is gone.
void stay(std::atomic<pid_t>* places, time_t end) {
    auto seed = static_cast<unsigned>(::getpid());
    while (::time(nullptr) < end) {
        ::usleep(20000);  // more often, and nobody but the bomb would get to run
        std::atomic<pid_t>& place = places[::rand_r(&seed) % most];
        pid_t before = place.load();
        if (!is_free(before) || !place.compare_exchange_strong(before, -1)) continue;
        const pid_t pid = ::fork();
        place = pid == 0 ? ::getpid() : pid < 0 ? 0 : pid;
        if (pid != 0) continue;
        seed = static_cast<unsigned>(::getpid());
        ::setsid();
    }
}

void run(time_t end) {
    while (::time(nullptr) < end) {
        if (::fork() > 0) ::_exit(0);
        ::setsid();
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const time_t end = ::time(nullptr) + 20;
    std::signal(SIGCHLD, SIG_IGN);  // no zombies in the places
    if (std::strcmp(argv[1], "wide") == 0) {
        void* shared = ::mmap(nullptr, most * sizeof(std::atomic<pid_t>), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) return 1;
        stay(static_cast<std::atomic<pid_t>*>(shared), end);
        return 0;
    }
    for (int i = 1; i < runners && ::fork() == 0;) ++i;
    run(end);
}
