// hog cpu MS WORD: computes for so much CPU time, then ends.
// hog memory MB WORD: takes 50 MB at a time until it has so many, 1000 at most, and stays a second.
// hog rude-memory MB WORD: the same, deaf to SIGTERM and with half the step.
// hog mapped MB WORD: the same with memory that could be shared.
// hog shared MB CHILDREN WORD: takes so many, then has so many children that share them, for a
// second. hog files COUNT BYTES DIR: writes so many files of that size; 1000 MB at most.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr long megabyte = 1000 * 1000;
constexpr long most_megabytes = 1000;

void compute(long ms) {
    const clock_t end = std::clock() + ms * CLOCKS_PER_SEC / 1000;
    while (std::clock() < end) {
    }
}

void take(long megabytes, long step, int kind = MAP_PRIVATE) {
    const long all = std::min(megabytes, most_megabytes);
    for (long taken = 0; taken < all; taken += step) {
        const auto wanted = static_cast<size_t>(std::min(step, all - taken) * megabyte);
        void* memory = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) ::_exit(3);
        std::memset(memory, 'x', wanted);
        ::usleep(20'000);
    }
}

int write_files(long count, long bytes, const std::string& dir) {
    const std::vector<char> text(static_cast<size_t>(bytes), 'x');
    count = std::min(count, most_megabytes * megabyte / std::max(bytes, 1L));
    for (long i = 0; i < count; ++i) {
        const std::string path = dir + "/" + std::to_string(i);
        const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (fd < 0 || ::write(fd, text.data(), text.size()) != bytes) return 1;
        ::close(fd);
        ::usleep(1000);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const std::string what = argv[1];
    const long amount = std::atol(argv[2]);
    ::alarm(20);
    if (what == "cpu") compute(amount);
    if (what == "files") return write_files(amount, std::atol(argv[3]), argv[4]);
    if (what == "rude-memory") std::signal(SIGTERM, SIG_IGN);
    if (what == "memory") take(amount, 50);
    if (what == "rude-memory") take(amount, 25);
    if (what == "mapped") take(amount, 50, MAP_SHARED);
    if (what == "shared") {
        take(amount, 50);
        const long children = std::min(std::atol(argv[3]), 50L);
        for (long i = 0; i < children; ++i)
            if (::fork() == 0) return ::sleep(1) == 0 ? 0 : 1;
        while (::wait(nullptr) > 0) {
        }
    }
    if (what != "cpu") ::sleep(1);
    return 0;
}
