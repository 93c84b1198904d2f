// Unix datagram sockets. Each can send to any path, by a name in memory that no filter sees. So the
// mason makes them, and takes the ability away:
//
// * In place of a pair it makes a pair for packets (SOCK_SEQPACKET), which keeps the bounds of
//   messages too, and ignores names.
// * A single one is shut down for sending, for ever. Programs make one to find out that nobody
//   takes a log, and go on. As nobody could send to it either, it gets no name.
#pragma once

#include <linux/seccomp.h>

namespace datagrams {

bool is_asked_for(const seccomp_data& data);

// Makes the socket, or the pair, and puts it into the process. Returns the result of the call.
long give(int listener, const seccomp_notif& asked);

// Whether this is a call of bind that gives a unix datagram socket a name, which is then in `name`
// ("@name" if it is abstract).
bool is_named(const seccomp_notif& asked, const char*& name);

}  // namespace datagrams
