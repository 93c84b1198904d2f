// A thread whose system call waits for the mason. The kernel lets only a deadly signal end such a
// wait, so the mason looks for the others.
#pragma once

#include <stdint.h>

namespace waiting_thread {

struct Interruption {
    bool was_pending = false;  // at the last look, for the whole process
};

// 0, or what the call has to return because the thread has to handle a signal: -EINTR, or a number
// that makes the kernel begin the call again where the handler asks for that. `proc` is the /proc
// in which the thread has this number.
long interruption(int proc, int thread, bool has_time_limit, Interruption& before);

}  // namespace waiting_thread
