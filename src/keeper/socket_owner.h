// Whose a unix socket is, by the object in the file system that it is bound to. The name of the
// object plays no part: it can lead elsewhere a moment later.
#pragma once

namespace socket_owner {

// Called before the mason leaves the network namespace of the host: the session has its own, in
// which only the session makes sockets.
void have_own_network();
bool is_own_network();

// For the mason, which sees the session's processes in /proc. Whether one of them has a socket that
// is bound to the object, which is open (O_PATH). False where the kernel does not tell. `proc` is
// the /proc in which this process is `self`.
bool is_of_session(int proc, int object);

}  // namespace socket_owner
