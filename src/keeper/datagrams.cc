#include "datagrams.h"

#include <asm/errno.h>
#include <asm/ioctl.h>
#include <linux/fcntl.h>
#include <stdint.h>

#include "sys.h"

namespace datagrams {
namespace {

constexpr int af_unix = 1;
constexpr int sock_dgram = 2;
constexpr int sock_raw = 3;  // of this family it is the same
constexpr int sock_seqpacket = 5;

#if defined(__aarch64__)
constexpr int socket_call = 198;
constexpr int pair_call = 199;
#else
constexpr int socket_call = 41;
constexpr int pair_call = 53;
#endif

long put(int listener, uint64_t id, int fd, uint64_t type) {
    seccomp_notif_addfd add{};
    add.id = id;
    add.srcfd = static_cast<uint32_t>(fd);
    add.newfd_flags = static_cast<uint32_t>(type & O_CLOEXEC);
    return sys::ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
}

int nonblocking(uint64_t type) { return static_cast<int>(type & O_NONBLOCK); }

long give_pair(int listener, const seccomp_notif& asked) {
    const uint64_t type = asked.data.args[1];
    // What cannot be written to is found out before there is a descriptor too many.
    const uint64_t where = asked.data.args[3];
    const auto pid = static_cast<int>(asked.pid);
    int32_t numbers[2] = {};
    if (sys::process_vm_read(pid, where, numbers, sizeof numbers) != sizeof numbers) return -EFAULT;
    uint64_t id = asked.id;
    if (sys::ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) != 0) return -ESRCH;
    int ends[2];
    const long made =
        sys::socketpair(af_unix, sock_seqpacket | O_CLOEXEC | nonblocking(type), 0, ends);
    if (made < 0) return made;
    long result = 0;
    for (int i = 0; i < 2 && result >= 0; ++i) {
        result = put(listener, asked.id, ends[i], type);
        numbers[i] = static_cast<int32_t>(result);
    }
    for (int& end : ends) sys::close_once(end);
    if (result < 0) return result;
    const long wrote = sys::process_vm_write(pid, where, numbers, sizeof numbers);
    return wrote == sizeof numbers ? 0 : -EFAULT;
}

// Sockets that were given out, by number. Who has older ones gets no denial for what they cannot
// do.
constexpr unsigned most_given = 1024;
uint64_t given[most_given];
unsigned next_given = 0;

uint64_t number_of(int socket) {
    constexpr unsigned empty_path = 0x1000;
    constexpr unsigned inode = 0x100;
    sys::FileStatus status{};
    return sys::statx(socket, "", empty_path, inode, &status) == 0 ? status.inode : 0;
}

long give_one(int listener, const seccomp_notif& asked) {
    const uint64_t type = asked.data.args[1];
    const long made = sys::socket(af_unix, sock_seqpacket | O_CLOEXEC | nonblocking(type), 0);
    if (made < 0) return made;
    const auto socket = static_cast<int>(made);
    given[next_given++ % most_given] = number_of(socket);
    const long result = put(listener, asked.id, socket, type);
    sys::close(socket);
    return result;
}

}  // namespace

bool is_asked_for(const seccomp_data& data) {
    constexpr uint64_t type = 0xf;
    const uint64_t asked = data.args[1] & type;
    return (data.nr == pair_call || data.nr == socket_call) &&
           static_cast<int>(data.args[0]) == af_unix && (asked == sock_dgram || asked == sock_raw);
}

long give(int listener, const seccomp_notif& asked) {
    const int protocol = static_cast<int>(asked.data.args[2]);
    if (protocol != 0 && protocol != af_unix) return -EPROTONOSUPPORT;
    return asked.data.nr == pair_call ? give_pair(listener, asked) : give_one(listener, asked);
}

bool is_stand_in(int socket) {
    const uint64_t number = number_of(socket);
    bool found = false;
    for (const uint64_t one : given) found = found || one == number;
    return found && number != 0;
}

}  // namespace datagrams
