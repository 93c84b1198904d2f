// A connection to a socket of one's own becomes one to somebody else's, between the look of who
// judges it and the call.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>

#include "probe.h"

namespace probe {
namespace {

// Long enough for a thread to get its turn on a busy machine.
class Patience {
public:
    bool is_left() const { return std::chrono::steady_clock::now() < end_; }

private:
    std::chrono::steady_clock::time_point end_ =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
};

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
    return address;
}

const sockaddr* any(const sockaddr_un& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

int listener_at(const std::string& path) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const sockaddr_un address = address_of(path);
    if (fd < 0 || ::bind(fd, any(address), sizeof address) != 0 || ::listen(fd, 64) != 0) return -1;
    return fd;
}

// Says the mark to whoever was reached, which in the end is the other one without walls.
void say_mark(int fd) {
    const std::string text = mark() + "\n";
    [[maybe_unused]] const auto sent = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
}

// Makes connections while another thread swaps, until one does not come to the own listener. More
// of them would fill the backlog that other probes need.
template <class Swap, class Connect>
int race(int own, const Swap& swap, const Connect& connect) {
    std::atomic<bool> over = false;
    std::thread swapping([&] {
        while (!over) swap();
    });
    const Patience patience;
    for (int stray = 0; patience.is_left() && stray == 0;) {
        const bool is_made = connect();
        const int taken = ::accept4(own, nullptr, nullptr, SOCK_CLOEXEC);
        if (is_made && taken < 0) ++stray;
        ::close(taken);
    }
    over = true;
    swapping.join();
    return done;
}

bool connect_once(const sockaddr_un& address) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool is_made = ::connect(fd, any(address), sizeof address) == 0;
    if (is_made) say_mark(fd);
    ::close(fd);
    return is_made;
}

struct Place {
    std::string own;
    std::string other;
    int listener = -1;
};

// Goes to a directory, which keeps the names short, and leaves nothing of an earlier race there.
bool prepare(Arguments a, Place& place) {
    if (::chdir(a[0].c_str()) != 0) return false;
    const std::string number = std::to_string(::getpid());
    place.own = "own" + number;
    place.other = "other" + number;
    place.listener = listener_at(place.own);
    return place.listener >= 0;
}

// The two names change places again and again.
int race_of_names(const Place& place) {
    const sockaddr_un address = address_of(place.own);
    const int result = race(
        place.listener,
        [&] {
            ::syscall(SYS_renameat2, AT_FDCWD, place.own.c_str(), AT_FDCWD, place.other.c_str(),
                      RENAME_EXCHANGE);
        },
        [&] { return connect_once(address); });
    ::unlink(place.own.c_str());
    ::unlink(place.other.c_str());
    return result;
}

int swapped_link(Arguments a) {
    Place place;
    if (!prepare(a, place)) return refused("listen");
    if (::symlink(a[1].c_str(), place.other.c_str()) != 0) return refused("symlink");
    return race_of_names(place);
}

int swapped_hard_link(Arguments a) {
    Place place;
    if (!prepare(a, place)) return refused("listen");
    if (::link(a[1].c_str(), place.other.c_str()) != 0) return refused("link");
    return race_of_names(place);
}

// The path in memory changes after somebody has read it.
int swapped_path(Arguments a) {
    Place place;
    if (!prepare(a, place)) return refused("listen");
    const sockaddr_un own = address_of(place.own);
    const sockaddr_un other = address_of(a[1]);
    sockaddr_un shown = own;
    bool is_own = true;
    const int result = race(
        place.listener,
        [&] {
            is_own = !is_own;
            std::memcpy(&shown, is_own ? &own : &other, sizeof shown);
            std::atomic_signal_fence(std::memory_order_seq_cst);
        },
        [&] { return connect_once(shown); });
    ::unlink(place.own.c_str());
    return result;
}

// The number of a socket for TCP is that of a unix socket a moment later, and the address changes
// its family with it.
int swapped_descriptor(Arguments a) {
    const sockaddr_un other = address_of(a[0]);
    const int inet = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int local = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int shown = ::fcntl(inet, F_DUPFD_CLOEXEC, 0);
    std::atomic<bool> over = false;
    std::thread swapping([&] {
        while (!over) {
            ::dup3(local, shown, O_CLOEXEC);
            ::dup3(inet, shown, O_CLOEXEC);
        }
    });
    for (const Patience patience; patience.is_left();) {
        if (::connect(shown, any(other), sizeof other) != 0) continue;
        say_mark(local);
        break;
    }
    over = true;
    swapping.join();
    return done;
}

// Who made a connection for somebody could be had as a descriptor, and be sent a signal.
int peer_process(Arguments) {
    const std::string name = "probe-peer" + std::to_string(::getpid());
    sockaddr_un address = address_of("@" + name);
    address.sun_path[0] = 0;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int client = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (server < 0 || client < 0 || ::bind(server, any(address), size) != 0 ||
        ::listen(server, 1) != 0 || ::connect(client, any(address), size) != 0)
        return refused("connect to itself");
    const int taken = ::accept4(server, nullptr, nullptr, SOCK_CLOEXEC);
    constexpr int peer_pidfd = 77;  // SO_PEERPIDFD, Linux 6.5
    int process = -1;
    socklen_t room = sizeof process;
    if (::getsockopt(taken, SOL_SOCKET, peer_pidfd, &process, &room) != 0)
        return refused_or_absent("getsockopt");
    return reveal();
}

constexpr Verb verbs[] = {
    {"unix-swapped-link", swapped_link}, {"unix-swapped-hard-link", swapped_hard_link},
    {"unix-swapped-path", swapped_path}, {"unix-swapped-descriptor", swapped_descriptor},
    {"unix-peer-process", peer_process},
};

}  // namespace

std::span<const Verb> unix_race_verbs() { return verbs; }

}  // namespace probe
