#include "connecting.h"

#include <asm/errno.h>

#include "path.h"
#include "sys.h"

namespace connecting {
namespace {

// A nonblocking socket says at once what it would have to wait for; the flag belongs to the open
// socket, so it is put back. A command can take the flag away again in between: the timer bounds
// how long the mason waits then.
long connect_at_once(const Socket& socket, const void* address, unsigned size) {
    constexpr uint64_t longest_us = 20'000;
    if (socket.type == sock_dgram) return sys::connect(socket.fd, address, size);
    if (socket.blocks()) sys::fcntl(socket.fd, F_SETFL, socket.flags | O_NONBLOCK);
    sys::setitimer(longest_us);
    const long result = sys::connect(socket.fd, address, size);
    sys::setitimer(0);
    if (socket.blocks()) sys::fcntl(socket.fd, F_SETFL, socket.flags);
    return result;
}

// Through the link in /proc to the object that is open, which the mason's working directory leads
// to.
struct UnixAddress {
    uint16_t family = af_unix;
    char path[64] = {};

    explicit UnixAddress(int object) {
        Path link;
        link.add("self/fd/");
        link.add(object);
        for (unsigned i = 0; i <= link.length; ++i) path[i] = link.text[i];
    }
};

// Leaves nothing of a connection that failed, so that the caller can use its socket again.
long disconnect(const Socket& socket, long error) {
    const uint16_t nowhere[8] = {};  // AF_UNSPEC
    sys::connect(socket.fd, nowhere, sizeof nowhere);
    return error;
}

}  // namespace

long to_object(const Socket& socket, const caller::Rights& rights, int object) {
    const UnixAddress address(object);
    const caller::ActingAs caller(rights);
    return caller.succeeded() ? connect_at_once(socket, &address, sizeof address) : -EACCES;
}

long to_address(const Socket& socket, const caller::Rights& rights,
                const connects::Address& address) {
    const caller::ActingAs caller(rights);
    return caller.succeeded() ? connect_at_once(socket, address.bytes, address.size) : -EACCES;
}

long look_for_listener(const caller::Rights& rights, int object) {
    const long opened = sys::socket(af_unix, sock_dgram | O_CLOEXEC | O_NONBLOCK, 0);
    if (opened < 0) return opened;
    const Socket probe{static_cast<int>(opened), af_unix, sock_dgram, O_NONBLOCK};
    const long result = to_object(probe, rights, object);
    sys::close(probe.fd);
    return result;
}

long go_on_forwarding(const Socket& socket, const caller::Rights& rights,
                      const connects::Address& address, const forwarding::Preamble& preamble,
                      Forwarding& stage) {
    constexpr int quietly = 0x4040;  // MSG_DONTWAIT | MSG_NOSIGNAL
    if (stage != Forwarding::Told) {
        const long result = to_address(socket, rights, address);
        const bool is_made = result == 0 || (result == -EISCONN && stage == Forwarding::Connecting);
        if (result == -EINPROGRESS) stage = Forwarding::Connecting;
        if (!is_made) return result == -EALREADY ? -EINPROGRESS : result;
        const long told = sys::send(socket.fd, &preamble, sizeof preamble, quietly);
        if (told != sizeof preamble) return disconnect(socket, -ECONNREFUSED);
        // It learns the rest from its socket, as from any connection under way.
        if (!socket.blocks()) return 0;
        stage = Forwarding::Told;
    }
    unsigned char answer = 0;
    const long got = sys::recv(socket.fd, &answer, 1, quietly);
    if (got == -EAGAIN) return -EINPROGRESS;
    if (got != 1) return disconnect(socket, got < 0 ? got : -ECONNREFUSED);
    return answer == 0 ? 0 : disconnect(socket, -static_cast<long>(answer));
}

bool has_to_wait(const Socket& socket, long result, bool is_forwarded) {
    if (is_forwarded) return result == -EINPROGRESS;
    if (!socket.blocks()) return false;
    if (socket.domain == af_unix) return result == -EAGAIN;
    return result == -EINPROGRESS || result == -EALREADY;
}

}  // namespace connecting
