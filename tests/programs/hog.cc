// hog cpu MS WORD: computes for so much CPU time, then ends.
// hog memory MB WORD: takes 50 MB at a time until it has so many, 1000 at most, and stays a second.
// hog brief-memory MB WORD: takes all of it at once, and ends at once.
// hog rude-memory MB WORD: the same, deaf to SIGTERM and with half the step.
// hog mapped MB WORD: the same with memory that could be shared.
// hog thread-memory MB WORD: the same in a thread that goes on when the first one has ended.
// hog shared MB CHILDREN WORD: takes so many, then has so many children that share them, for two
// seconds. hog files COUNT BYTES DIR: writes so many files of that size; 1000 MB at most.
// hog held KIND MB: takes so many, 300 at most, where no process shows them, and stays a second.
// KIND is memfd, deleted (a file in /dev/shm), mapped-memfd, segments, queues, semaphores, sockets
// or tables. hog reserve HOW MB DIR: has a file system reserve so many, 300 at most. HOW is
// fallocate, posix, ioctl or ring. Exits with 95 where that is not supported.
#include <fcntl.h>
#include <linux/falloc.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
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

void take_briefly(long megabytes) {
    const auto wanted = static_cast<size_t>(std::min(megabytes, most_megabytes) * megabyte);
    void* memory =
        ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) ::_exit(3);
    std::memset(memory, 'x', wanted);
    ::_exit(0);
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

constexpr size_t step = 8'000'000;
std::vector<int> segments, queues, semaphores;
volatile std::sig_atomic_t asked = 0;

// They outlive all processes.
void remove_objects() {
    for (const int id : segments) ::shmctl(id, IPC_RMID, nullptr);
    for (const int id : queues) ::msgctl(id, IPC_RMID, nullptr);
    for (const int id : semaphores) ::semctl(id, 0, IPC_RMID);
}

bool write_step(int fd) {
    static const std::vector<char> bytes(step, 'x');
    return ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(step);
}

bool map_step(int fd, off_t at) {
    if (::ftruncate(fd, at + static_cast<off_t>(step)) != 0) return false;
    void* memory = ::mmap(nullptr, step, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
    if (memory != MAP_FAILED) std::memset(memory, 'x', step);
    return memory != MAP_FAILED;
}

bool segment_step() {
    const int id = ::shmget(IPC_PRIVATE, step, 0600);
    if (id < 0) return false;
    segments.push_back(id);
    void* memory = ::shmat(id, nullptr, 0);
    std::memset(memory, 'x', step);
    return ::shmdt(memory) == 0;
}

bool queue_step() {
    struct {
        long type = 1;
        char text[8000] = {};
    } message;
    for (size_t bytes = 0; bytes < step && asked == 0; bytes += 2 * sizeof message.text) {
        const int id = ::msgget(IPC_PRIVATE, 0600);
        if (id < 0) return false;
        queues.push_back(id);
        for (int i = 0; i < 2; ++i) ::msgsnd(id, &message, sizeof message.text, IPC_NOWAIT);
    }
    return true;
}

bool semaphore_step() {
    constexpr int most = 32'000;
    constexpr size_t size_of_one = 64;
    for (size_t bytes = 0; bytes < step; bytes += most * size_of_one) {
        semaphores.push_back(::semget(IPC_PRIVATE, most, 0600));
        if (semaphores.back() < 0) return false;
    }
    return true;
}

bool socket_step() {
    static const std::vector<char> bytes(4096, 'x');
    for (size_t sent = 0; sent < step;) {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) return false;
        for (const int end : ends)
            for (ssize_t got = 0; (got = ::write(end, bytes.data(), bytes.size())) > 0;)
                sent += static_cast<size_t>(got);
    }
    return true;
}

// A page of zeros in every 2 MiB needs a page of tables for each, and is nobody's memory.
bool table_step() {
    constexpr size_t apart = 2 << 20;
    constexpr size_t size = step / 4096 * apart;
    void* memory =
        ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    ::madvise(memory, size, MADV_NOHUGEPAGE);
    const volatile char* at = static_cast<char*>(memory);
    char sum = 0;
    for (size_t offset = 0; offset < size; offset += apart)
        sum = static_cast<char>(sum + at[offset]);
    return sum == 0;
}

int hold(const std::string& kind, long megabytes) {
    for (const int signal : {SIGTERM, SIGALRM}) std::signal(signal, [](int) { asked = 1; });
    const auto all = static_cast<size_t>(std::min(megabytes, 300L) * megabyte);
    int fd = -1;
    if (kind == "memfd" || kind == "mapped-memfd") fd = ::memfd_create("hog", MFD_CLOEXEC);
    if (kind == "deleted") {
        fd = ::open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    }
    bool done = true;
    for (size_t taken = 0; taken < all && done && asked == 0; taken += step) {
        if (kind == "memfd" || kind == "deleted") done = write_step(fd);
        if (kind == "mapped-memfd") done = map_step(fd, static_cast<off_t>(taken / 4096 * 4096));
        if (kind == "segments") done = segment_step();
        if (kind == "queues") done = queue_step();
        if (kind == "semaphores") done = semaphore_step();
        if (kind == "sockets") done = socket_step();
        if (kind == "tables") done = table_step();
        ::usleep(20'000);
    }
    for (int i = 0; i < 50 && asked == 0; ++i) ::usleep(20'000);
    remove_objects();
    return done ? 0 : 3;
}

// As the kernel has it for FS_IOC_RESVSP64.
struct Space {
    short type = 0;
    short whence = 0;
    int64_t start = 0;
    int64_t length = 0;
    int system = 0;
    unsigned pid = 0;
    int padding[4] = {};
};

int reserve(const std::string& how, long megabytes, const std::string& dir) {
    const off_t size = std::min(megabytes, 300L) * megabyte;
    const int fd = ::open((dir + "/reserved").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    constexpr unsigned long reserve_space = 0x4030582a;
    Space space;
    space.length = size;
    int error = 0;
    if (how == "fallocate" && ::fallocate(fd, 0, 0, size) != 0) error = errno;
    if (how == "ioctl" && ::ioctl(fd, reserve_space, &space) != 0) error = errno;
    if (how == "posix") error = ::posix_fallocate(fd, 0, size);
    if (how == "ring" && ::syscall(SYS_io_uring_setup, 1, nullptr) != 0) error = errno;
    ::sleep(1);
    return error;
}

// All children live until the last one has been there for two seconds, however slow the machine is:
// the keeper looks once a second.
void share(long children) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    for (long i = 0; i < children; ++i) {
        if (::fork() != 0) continue;
        ::close(ends[1]);
        char nothing = 0;
        ::_exit(::read(ends[0], &nothing, 1) == 0 ? 0 : 1);
    }
    ::sleep(2);
    ::close(ends[1]);
    while (::wait(nullptr) > 0) {
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    const std::string what = argv[1];
    const long amount = std::atol(argv[2]);
    ::alarm(100);  // nothing stays behind; a busy machine may take that long for a second of work
    if (what == "cpu") compute(amount);
    if (what == "held") return hold(argv[2], std::atol(argv[3]));
    if (what == "reserve") return reserve(argv[2], std::atol(argv[3]), argv[4]);
    if (what == "files") return write_files(amount, std::atol(argv[3]), argv[4]);
    if (what == "rude-memory") std::signal(SIGTERM, SIG_IGN);
    if (what == "memory") take(amount, 50);
    if (what == "rude-memory") take(amount, 25);
    if (what == "brief-memory") take_briefly(amount);
    if (what == "mapped") take(amount, 50, MAP_SHARED);
    if (what == "thread-memory") {
        std::thread([amount] {
            take(amount, 50);
            ::sleep(30);
            ::_exit(0);
        }).detach();
        ::pthread_exit(nullptr);
    }
    if (what == "shared") {
        take(amount, 50);
        share(std::min(std::atol(argv[3]), 50L));
    }
    if (what != "cpu") ::sleep(1);
    return 0;
}
