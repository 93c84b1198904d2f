// Unix datagram sockets. Each can send to any path, by a name in memory that no filter sees. So the
// mason makes sockets for packets (SOCK_SEQPACKET) in their place, which ignore names.
//
// * A pair of them keeps the bounds of messages, too.
// * A single one is connected to nobody, and sends nothing (ENOTCONN). Programs make one to find
// out
//   that nobody takes a log, and go on. As nobody could send to it either, it gets no name.
#pragma once

#include <linux/seccomp.h>

namespace datagrams {

bool is_asked_for(const seccomp_data& data);

// Makes the socket, or the pair, and puts it into the process. Returns the result of the call.
long give(int listener, const seccomp_notif& asked);

// Whether the socket stands for one of datagrams.
bool is_stand_in(int socket);

}  // namespace datagrams
