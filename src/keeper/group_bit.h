// Changes of a mode that ask for the set-group-ID bit. On a directory the bit is ordinary: new
// files get the directory's group. A file with the bit lets everybody who can run it act as its
// group, and the system call filter cannot tell the two apart.
#pragma once

#include <linux/seccomp.h>

namespace group_bit {

bool is_asked_for(const seccomp_data& data);

// Makes the call for the process, if the object is a directory. The result is that of the call, or
// -EPERM for everything else. The object is opened once, so nobody can exchange it in between.
// `proc` is the /proc in which this process is `self`.
long give(int proc, int listener, const seccomp_notif& asked);

}  // namespace group_bit
