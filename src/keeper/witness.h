// Tells what the walls are about to stop. It lives in the session's mason, where no command can
// reach it. The calls that it lets go on are judged by the walls. It refuses those that it notes,
// with the error of the wall, and those that the filter refuses. A few calls it makes itself for
// the command: see connects.h, datagrams.h, process_files.h and
// group_bit.h.
#pragma once

#include <linux/seccomp.h>
#include <stdint.h>

#include "binding.h"
#include "watched_calls.h"

namespace witness {

struct Places {
    int log;   // appended to; -1: none
    int proc;  // of the PID namespace that the mason is in
    int init;  // pid 1 of the session, as seen from there
};

// What becomes of a call: the kernel makes it, or this is its result.
struct Decision {
    long result = 0;  // -errno
    bool goes_on = false;
};

class Witness {
public:
    explicit Witness(const Places& places) : places_(places) {}

    // Takes the listener, and what is refused.
    void begin(int listener, const husk::wire::RefusedRow* rows, uint32_t count);
    int listener() const { return listener_; }
    // Called when the listener has something: one call, or the news that nobody is left.
    void answer(bool ended);
    // Called when somebody whose connection takes time may be answered.
    void go_on() const;

private:
    void connect(const seccomp_notif& asked);
    Decision decide(const seccomp_notif& asked);
    Decision look_at(const seccomp_notif& asked, const husk::wire::WatchedCall& watched);
    Decision name_socket(const seccomp_notif& asked, const binding::Name& name);
    Decision refuse(const seccomp_notif& asked, int error);
    void reply(uint64_t id, const Decision& decision);
    void stay_together(bool wanted);

    Places places_;
    int load_ = -1;  // /proc/loadavg
    bool together_ = false;
    int listener_ = -1;
    uint32_t refused_count_ = 0;
    husk::wire::RefusedRow refused_[husk::wire::max_refused];
};

}  // namespace witness
