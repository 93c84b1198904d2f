// Carries out the orders about protected names (walls_wire.h), and takes away those that do not
// exist when the session makes one. It lives in the mason. The kernel does not tell who made a
// file, but no command can make one without asking the session's witness just before. So what is
// there before such a call, after a quiet time, is the user's and left alone; and what is there
// afterwards is the session's.
#pragma once

#include <stdint.h>

#include "clock.h"
#include "pool.h"
#include "sweep.h"

namespace sentry {

// Returns true if the name is guarded, and what is there may be the session's: it is then not
// protected as if it were the user's.
bool is_suspect(const char* path);

// Where the sentry learns about the session, and what it writes.
struct Sources {
    int log = -1;
    // A file with the time (8 bytes, of the monotonic clock) when a caller last saw that nothing
    // was left of a call, and that none of these names was there.
    int settled = -1;
    const pool::Seats* seats = nullptr;
    int control = -1;  // where callers come to the session; commands must not
};

class Sentry {
public:
    explicit Sentry(const Sources& sources) : sources_(sources) {}

    // Takes the orders in the file. Returns 0, or -errno if the orders make no sense or not all
    // names can be guarded.
    long obey(int file);

    // When to look again; never if the session can have made nothing.
    uint64_t next() const { return look_at_; }

    // Around each call that the witness lets go on.
    void before_call();
    void after_call();
    // Looks at all names, and takes away what the session made: when it is time, before anything
    // new is protected, and when all is over.
    void look();
    // Returns true if the session makes names as fast as they are taken away: it has to end.
    bool insists() const;

private:
    long carry_out(const sweep::Orders& orders);
    bool may_be_the_sessions(uint64_t now);
    void note_about(const husk::wire::NameOrder& name, const char* what, int error = 0) const;
    bool look_at(husk::wire::NameOrder& name, bool by_session) const;

    Sources sources_;
    // When the first call since the last look was about to be made (or 0), and the last one; and
    // when that was let go on.
    uint64_t first_asked_ = 0;
    uint64_t asked_ = 0;
    uint64_t last_call_ = 0;
    uint64_t last_look_ = 0;
    uint64_t last_alive_ = 0;  // when a command of the session was last seen alive
    uint64_t look_at_ = keeper_clock::never;
    unsigned again_ = 0;  // counts looks that found names that were taken away before
};

}  // namespace sentry
