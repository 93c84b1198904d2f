// Tells whether a wall will stop a call about a path, and with which error: what the kernel checks
// first (whether the name exists, what it is, what its mode permits) comes first here too. It lives
// in the mason and changes nothing. docs/denials.md has the table.
#pragma once

#include <linux/seccomp.h>
#include <stdint.h>

#include "watched_calls.h"

namespace foresight {

// Mounts may have changed.
void forget_mounts();

// Who makes the call, as the mason numbers processes, and the mason's descriptor of /proc.
struct Caller {
    int proc;
    int pid;
};

struct Refusal {
    int error = 0;               // 0: no wall stops the call
    const char* path = nullptr;  // without links; valid until the next call
    // The part of the copy of HOME that the call is the first to write ("~/.npm"); else null.
    const char* copied = nullptr;
    bool would_seem_saved = false;  // the reason is that HOME is a copy
};

Refusal refusal_of(const Caller& caller, const seccomp_data& call,
                   const husk::wire::WatchedCall& watched);

}  // namespace foresight
