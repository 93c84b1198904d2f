// Doors beside the front door: 32-bit system calls, x32 numbers, and io_uring, which makes calls
// of its own that a filter never sees.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "probe.h"

namespace probe {
namespace {

#ifdef __x86_64__

long old_call(long nr, unsigned long b, unsigned long c, unsigned long d) {
    long result = nr;
    asm volatile("int $0x80"
                 : "+a"(result)
                 : "b"(b), "c"(c), "d"(d)
                 : "memory", "r8", "r9", "r10", "r11");
    if (static_cast<int>(result) >= 0) return result;
    errno = -static_cast<int>(result);
    return -1;
}

// Memory that a 32-bit pointer can name.
char* low_page() {
    void* at = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
}

unsigned long address(const void* at) { return reinterpret_cast<unsigned long>(at); }

int old_chmod(Arguments a) {
    constexpr long nr = 15;
    char* path = low_page();
    std::strncpy(path, a[0].c_str(), 4095);
    return old_call(nr, address(path), 0700, 0) >= 0 ? done : refused("chmod by int 0x80");
}

int old_unlink(Arguments a) {
    constexpr long nr = 10;
    char* path = low_page();
    std::strncpy(path, a[0].c_str(), 4095);
    return old_call(nr, address(path), 0, 0) >= 0 ? done : refused("unlink by int 0x80");
}

int old_tcp(Arguments a) {
    constexpr long socket_nr = 359;
    constexpr long connect_nr = 362;
    const long fd = old_call(socket_nr, AF_INET, SOCK_STREAM, 0);
    if (fd < 0) return refused("socket by int 0x80");
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(number(a[0])));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    char* low = low_page();
    std::memcpy(low, &to, sizeof to);
    if (old_call(connect_nr, static_cast<unsigned long>(fd), address(low), sizeof to) < 0)
        return refused("connect by int 0x80");
    const std::string text = mark() + "\n";
    return ::write(static_cast<int>(fd), text.data(), text.size()) > 0 ? done : refused("write");
}

int old_socketcall(Arguments a) {
    constexpr long nr = 102;
    char* low = low_page();
    auto* words = reinterpret_cast<uint32_t*>(low);
    words[0] = AF_INET;
    words[1] = SOCK_STREAM;
    words[2] = 0;
    const long fd = old_call(nr, 1, address(words), 0);
    if (fd < 0) return refused("socketcall");
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(number(a[0])));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::memcpy(low + 64, &to, sizeof to);
    words[0] = static_cast<uint32_t>(fd);
    words[1] = static_cast<uint32_t>(address(low + 64));
    words[2] = sizeof to;
    if (old_call(nr, 3, address(words), 0) < 0) return refused("socketcall connect");
    const std::string text = mark() + "\n";
    return ::write(static_cast<int>(fd), text.data(), text.size()) > 0 ? done : refused("write");
}

int old_unshare(Arguments) {
    constexpr long nr = 310;
    constexpr unsigned long user = 0x10000000;
    return old_call(nr, user, 0, 0) >= 0 ? reveal() : refused("unshare by int 0x80");
}

int x32(Arguments) {
    constexpr long bit = 0x40000000;
    return ::syscall(bit | SYS_unshare, 0x10000000) == 0 ? reveal()
                                                         : refused_or_absent("unshare by x32");
}

#else

int none(Arguments) {
    errno = ENOSYS;
    return absent("no such door on this machine");
}
constexpr auto old_chmod = none, old_unlink = none, old_tcp = none, old_socketcall = none,
               old_unshare = none, x32 = none;

#endif

// The least that a ring needs: one entry in, one out, and waiting for it.
class Ring {
public:
    Ring() {
        fd_ = static_cast<int>(::syscall(SYS_io_uring_setup, 4, &parameters_));
        if (fd_ < 0) return;
        submissions_ = map(IORING_OFF_SQ_RING,
                           parameters_.sq_off.array + parameters_.sq_entries * sizeof(uint32_t));
        completions_ = map(IORING_OFF_CQ_RING,
                           parameters_.cq_off.cqes + parameters_.cq_entries * sizeof(io_uring_cqe));
        entries_ = map(IORING_OFF_SQES, parameters_.sq_entries * sizeof(io_uring_sqe));
    }
    bool exists() const { return fd_ >= 0; }

    // What the operation gave; errno is set when it failed.
    int run(const io_uring_sqe& entry) {
        std::memcpy(entries_, &entry, sizeof entry);
        auto* array = at<uint32_t>(submissions_, parameters_.sq_off.array);
        auto* tail = at<uint32_t>(submissions_, parameters_.sq_off.tail);
        array[*tail & (parameters_.sq_entries - 1)] = 0;
        __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
        if (::syscall(SYS_io_uring_enter, fd_, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) < 0)
            return -1;
        auto* head = at<uint32_t>(completions_, parameters_.cq_off.head);
        const auto* results = at<io_uring_cqe>(completions_, parameters_.cq_off.cqes);
        const int result = results[*head & (parameters_.cq_entries - 1)].res;
        __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
        if (result < 0) errno = -result;
        return result < 0 ? -1 : result;
    }

private:
    char* map(off_t offset, size_t size) const {
        return static_cast<char*>(
            ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_, offset));
    }
    template <class T>
    static T* at(char* base, uint32_t offset) {
        return reinterpret_cast<T*>(base + offset);
    }

    io_uring_params parameters_{};
    int fd_ = -1;
    char* submissions_ = nullptr;
    char* completions_ = nullptr;
    char* entries_ = nullptr;
};

int write_through(Ring& ring, int fd) {
    const std::string text = mark() + "\n";
    io_uring_sqe entry{};
    entry.opcode = IORING_OP_WRITE;
    entry.fd = fd;
    entry.addr = reinterpret_cast<uint64_t>(text.data());
    entry.len = static_cast<uint32_t>(text.size());
    return ring.run(entry) > 0 ? done : refused("IORING_OP_WRITE");
}

int ring_write(Arguments a) {
    Ring ring;
    if (!ring.exists()) return refused_or_absent("io_uring_setup");
    io_uring_sqe entry{};
    entry.opcode = IORING_OP_OPENAT;
    entry.fd = AT_FDCWD;
    entry.addr = reinterpret_cast<uint64_t>(a[0].c_str());
    entry.open_flags = O_WRONLY | O_APPEND;
    const int fd = ring.run(entry);
    return fd < 0 ? refused("IORING_OP_OPENAT") : write_through(ring, fd);
}

int ring_tcp(Arguments a) {
    Ring ring;
    if (!ring.exists()) return refused_or_absent("io_uring_setup");
    constexpr uint8_t op_socket = 45;
    io_uring_sqe entry{};
    entry.opcode = op_socket;
    entry.fd = AF_INET;
    entry.off = SOCK_STREAM;
    const int fd = ring.run(entry);
    if (fd < 0) return refused("IORING_OP_SOCKET");
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(number(a[0])));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    entry = {};
    entry.opcode = IORING_OP_CONNECT;
    entry.fd = fd;
    entry.addr = reinterpret_cast<uint64_t>(&to);
    entry.off = sizeof to;
    if (ring.run(entry) < 0) return refused("IORING_OP_CONNECT");
    return write_through(ring, fd);
}

constexpr Verb verbs[] = {
    {"old-chmod", old_chmod},           {"old-unlink", old_unlink},   {"old-tcp", old_tcp},
    {"old-socketcall", old_socketcall}, {"old-unshare", old_unshare}, {"x32", x32},
    {"ring-write", ring_write},         {"ring-tcp", ring_tcp},
};

}  // namespace

std::span<const Verb> foreign_verbs() { return verbs; }

}  // namespace probe
