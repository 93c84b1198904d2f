#include "waiting_thread.h"

#include <asm/errno.h>
#include <linux/fcntl.h>

#include "proc.h"
#include "sys.h"
#include "usage.h"

namespace waiting_thread {
namespace {

constexpr long begin_again = 512;  // ERESTARTSYS, of the kernel itself
char status_text[4096];

uint64_t mask(const char* name) {
    const char* at = usage::line_after(status_text, name);
    uint64_t value = 0;
    for (; at != nullptr; ++at) {
        if (*at >= '0' && *at <= '9')
            value = value << 4 | static_cast<uint64_t>(*at - '0');
        else if (*at >= 'a' && *at <= 'f')
            value = value << 4 | static_cast<uint64_t>(*at - 'a' + 10);
        else
            break;
    }
    return value;
}

bool read_status(int proc, int thread) {
    return ::proc::read_text_in(proc, thread, "/status", status_text, sizeof status_text);
}

}  // namespace

long interruption(int proc, int thread, bool has_time_limit, Interruption& before) {
    if (!read_status(proc, thread)) return 0;
    const uint64_t handled = mask("SigCgt") & ~mask("SigBlk");
    const bool for_thread = (mask("SigPnd") & handled) != 0;
    const bool for_process = (mask("ShdPnd") & handled) != 0;
    uint64_t threads = 1;
    usage::number_after(status_text, "Threads", threads);
    const bool is_alone = threads == 1;
    // Another thread may be about to take a signal for the whole process. If none has at the next
    // look, it is for this one; but the kernel's own number must not reach a thread without a
    // signal.
    const bool is_for_this = for_thread || (for_process && (is_alone || before.was_pending));
    before.was_pending = for_process;
    if (!is_for_this) return 0;
    return has_time_limit || (!for_thread && !is_alone) ? -EINTR : -begin_again;
}

}  // namespace waiting_thread
