// Pairs of datagram sockets. Half of such a pair can send to any path, by a name in memory that no
// filter sees. So the mason makes a pair for packets (SOCK_SEQPACKET) in its place, which keeps the
// bounds of messages too, and ignores names.
#pragma once

#include <linux/seccomp.h>

namespace socket_pairs {

bool is_asked_for(const seccomp_data& data);

// Makes the pair and puts it into the process. Returns the result of the call.
long give(int listener, const seccomp_notif& asked);

}  // namespace socket_pairs
