#include "inside_sockets.h"

#include <asm/errno.h>
#include <linux/fcntl.h>

#include "inside_socket.h"
#include "message.h"
#include "network.h"
#include "sys.h"

namespace inside_sockets {

using husk::wire::InsideFamily;
using husk::wire::InsideRequest;

void InsideSockets::begin(int socket) {
    sys::close_once(socket_);
    socket_ = socket;
}

// One at a time: commands wait for the mason too.
void InsideSockets::answer() {
    constexpr int msg_dontwait = 0x40;
    constexpr int internet = 2;    // AF_INET
    constexpr int internet6 = 10;  // AF_INET6
    InsideRequest request{};
    const message::Received got = message::receive(socket_, &request, sizeof request, msg_dontwait);
    for (unsigned i = 0; i < got.fd_count; ++i) sys::close(got.fds[i]);
    if (got.size == -EAGAIN || got.size == -EINTR) return;
    if (got.size <= 0) return sys::close_once(socket_);
    if (got.size != sizeof request) return;
    const int family = request.family == InsideFamily::V6 ? internet6 : internet;
    const long made = sys::socket(family, network::stream | O_CLOEXEC | O_NONBLOCK, 0);
    int fd = static_cast<int>(made);
    message::send(socket_, &request, sizeof request, &fd, made < 0 ? 0 : 1);
    if (made >= 0) sys::close(fd);
}

}  // namespace inside_sockets
