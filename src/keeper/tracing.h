// Processes that are to stop once more when they die (PTRACE_O_TRACEEXIT). Two threads that trace
// each other in this way wait for each other in death, and no signal ends them. Therefore a thread
// that is traced itself cannot ask for this option.
#pragma once

#include <linux/seccomp.h>

namespace tracing {

bool is_asked_for(const seccomp_data& data);

// 0 if the call may go on, or -EPERM. All arguments of the call are in registers, which nobody can
// change meanwhile. `proc` is the /proc of the PID namespace that this process is in.
long judge(int proc, const seccomp_notif& asked);

}  // namespace tracing
