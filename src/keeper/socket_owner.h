// Whose a unix socket is, by the object in the file system that it is bound to. The name of the
// object plays no part: it can lead elsewhere a moment later.
#pragma once

namespace socket_owner {

// Called before the mason leaves the network namespace of the host: the session has its own, in
// which only the session makes sockets.
void have_own_network();
bool is_own_network();

// Likewise: a socket that is no part of the session although its first process has it.
void leave_out(int socket);
// A directory that the session may write. Where one file system has several numbers (subvolumes of
// Btrfs), a socket has to lie under one of these.
void trust_place(int directory);

// For the mason, which sees the session's processes in /proc. Whether one of them has a socket that
// is bound to the object, which is open (O_PATH). False where the kernel does not tell. `proc` is
// the /proc in which this process is `self`.
bool is_of_session(int proc, int object);

}  // namespace socket_owner
