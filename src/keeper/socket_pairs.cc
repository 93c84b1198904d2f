#include "socket_pairs.h"

#include <asm/errno.h>
#include <asm/ioctl.h>
#include <linux/fcntl.h>
#include <stdint.h>

#include "sys.h"

namespace socket_pairs {
namespace {

constexpr int af_unix = 1;
constexpr int seqpacket = 5;

long put(int listener, uint64_t id, int fd, uint64_t type) {
    seccomp_notif_addfd add{};
    add.id = id;
    add.srcfd = static_cast<uint32_t>(fd);
    add.newfd_flags = static_cast<uint32_t>(type & O_CLOEXEC);
    return sys::ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
}

}  // namespace

bool is_asked_for(const seccomp_data& data) {
#if defined(__aarch64__)
    constexpr int number = 199;
#else
    constexpr int number = 53;
#endif
    constexpr uint64_t type = 0xf;
    const uint64_t asked = data.args[1] & type;
    return data.nr == number && static_cast<int>(data.args[0]) == af_unix &&
           (asked == 2 || asked == 3);  // SOCK_DGRAM, and SOCK_RAW, which is the same here
}

long give(int listener, const seccomp_notif& asked) {
    const uint64_t type = asked.data.args[1];
    const int protocol = static_cast<int>(asked.data.args[2]);
    if (protocol != 0 && protocol != af_unix) return -EPROTONOSUPPORT;
    // What cannot be written to is found out before there is a descriptor too many.
    const uint64_t where = asked.data.args[3];
    const auto pid = static_cast<int>(asked.pid);
    int32_t numbers[2] = {};
    if (sys::process_vm_read(pid, where, numbers, sizeof numbers) != sizeof numbers) return -EFAULT;
    uint64_t id = asked.id;
    if (sys::ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) != 0) return -ESRCH;
    int ends[2];
    const auto nonblocking = static_cast<int>(type & O_NONBLOCK);
    const long made = sys::socketpair(af_unix, seqpacket | O_CLOEXEC | nonblocking, 0, ends);
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

}  // namespace socket_pairs
