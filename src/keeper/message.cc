#include "message.h"

#include <asm/socket.h>
#include <linux/socket.h>

#include "sys.h"

namespace {

// linux/socket.h does not carry these for a program without libc.
constexpr int scm_rights = 1;
constexpr int msg_dontwait = 0x40;
constexpr int msg_nosignal = 0x4000;
constexpr int msg_cmsg_cloexec = 0x40000000;

struct Control {
    sys::ControlHdr header;
    int fds[message::max_fds];
};

}  // namespace

namespace message {

Received receive(int socket, void* into, size_t room, int flags) {
    Control control{};
    sys::IoVec part{into, room};
    sys::MsgHdr header{};
    header.parts = &part;
    header.part_count = 1;
    header.control = &control;
    header.control_size = sizeof control;
    Received received{};
    received.size = sys::recvmsg(socket, &header, flags | msg_cmsg_cloexec);
    const bool has_fds = received.size >= 0 && header.control_size > sizeof control.header &&
                         control.header.level == SOL_SOCKET && control.header.type == scm_rights;
    if (!has_fds) return received;
    received.fd_count =
        static_cast<unsigned>((control.header.size - sizeof control.header) / sizeof(int));
    for (unsigned i = 0; i < received.fd_count; ++i) received.fds[i] = control.fds[i];
    return received;
}

long send(int socket, const void* data, size_t size, const int* fds, unsigned fd_count) {
    Control control{};
    control.header = {sizeof control.header + fd_count * sizeof(int), SOL_SOCKET, scm_rights};
    for (unsigned i = 0; i < fd_count; ++i) control.fds[i] = fds[i];
    sys::IoVec part{const_cast<void*>(data), size};
    sys::MsgHdr header{};
    header.parts = &part;
    header.part_count = 1;
    if (fd_count > 0) {
        header.control = &control;
        header.control_size = (control.header.size + sizeof(size_t) - 1) & ~(sizeof(size_t) - 1);
    }
    const long sent = sys::sendmsg(socket, &header, msg_dontwait | msg_nosignal);
    return sent < 0 ? sent : 0;
}

}  // namespace message
