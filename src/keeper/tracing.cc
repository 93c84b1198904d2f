#include "tracing.h"

#include <asm/errno.h>
#include <asm/unistd.h>
#include <linux/fcntl.h>
#include <linux/ptrace.h>

#include "proc.h"
#include "sys.h"
#include "usage.h"

namespace tracing {
namespace {

constexpr uint64_t old_set_options = 21;  // PTRACE_OLDSETOPTIONS of x86
constexpr unsigned most_seizures = 64;
char status_text[2048];

// A call of PTRACE_SEIZE that was let go on makes the tie itself, some time later. Until it is
// known that it has, its target counts as traced.
struct Seizure {
    int tracer;       // as the mason sees it; 0: the slot is free
    uint64_t target;  // as the session sees it
};
Seizure seizures[most_seizures];

struct Thread {
    bool is_there;
    uint64_t tracer;  // 0: nobody
    uint64_t inside;  // its number in the session
};

Thread look_at(int proc, int tid) {
    if (!::proc::read_text_in(proc, tid, "/status", status_text, sizeof status_text)) return {};
    const char* tracer = usage::line_after(status_text, "TracerPid");
    const char* inside = usage::line_after(status_text, "NSpid");
    if (tracer == nullptr || inside == nullptr) return {};
    return {true, usage::last_number(tracer), usage::last_number(inside)};
}

// A thread that asks again, or is dead, has finished its last call.
void forget_finished(int proc, int caller) {
    for (Seizure& one : seizures)
        if (one.tracer == caller || (one.tracer != 0 && !look_at(proc, one.tracer).is_there))
            one.tracer = 0;
}

bool will_be_traced(uint64_t thread) {
    bool found = false;
    for (const Seizure& one : seizures) found = found || (one.tracer != 0 && one.target == thread);
    return found;
}

bool note(int tracer, uint64_t target) {
    for (Seizure& one : seizures) {
        if (one.tracer != 0) continue;
        one = {tracer, target};
        return true;
    }
    return false;
}

}  // namespace

bool is_asked_for(const seccomp_data& data) {
    const uint64_t request = data.args[0] & 0xffffffff;
    const bool gives_options =
        request == PTRACE_SEIZE || request == PTRACE_SETOPTIONS || request == old_set_options;
    return data.nr == __NR_ptrace && gives_options && (data.args[3] & PTRACE_O_TRACEEXIT) != 0;
}

long judge(int proc, const seccomp_notif& asked) {
    const int caller = static_cast<int>(asked.pid);
    forget_finished(proc, caller);
    const Thread thread = look_at(proc, caller);
    if (!thread.is_there || thread.tracer != 0 || will_be_traced(thread.inside)) return -EPERM;
    const bool seizes = (asked.data.args[0] & 0xffffffff) == PTRACE_SEIZE;
    return seizes && !note(caller, asked.data.args[1] & 0xffffffff) ? -EPERM : 0;
}

}  // namespace tracing
