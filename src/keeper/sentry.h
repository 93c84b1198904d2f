// Carries out the orders about protected names (walls_wire.h), and watches, for a session whose
// shells live on, those that do not exist: one that the session makes is taken away again, and that
// is noted. It lives in the mason. What the user makes outside is left alone: the kernel does not
// tell who made a file, but no command can make one without asking the session's witness just
// before.
#pragma once

#include <stdint.h>

#include "clock.h"
#include "sweep.h"

namespace sentry {

// Whether the session has made this name, or somebody makes and removes it all the time. It is then
// not protected as if it were the user's; the sentry goes on looking at it, whatever new list it
// gets, until it sees that the user has made it.
bool is_suspect(const char* path);

class Sentry {
public:
    // `settled` is a file with the time (8 bytes, of the monotonic clock) when a caller last saw
    // that nothing was left of a call, and that none of these names was there.
    Sentry(int log, int settled) : log_(log), settled_(settled) {}

    // Takes the orders in the file: each name that is to be watched is watched before it is looked
    // at and taken away. Returns 0, or -errno if the orders make no sense or something cannot be
    // watched.
    long obey(int file);

    int events() const { return events_; }  // -1: nothing is watched
    uint64_t next() const { return check_at_; }

    // The witness has just let a call of the session go on.
    void note_call();
    // Something came to be beside what is watched.
    void on_events();
    // Takes away what has to go. Called when it is time.
    void check();
    // The same for what has just come: before anything new is protected, and when all is over.
    void check_now();

private:
    long carry_out(const sweep::Orders& orders);
    bool take_list(const sweep::Orders& orders);
    bool may_be_the_sessions(uint64_t now) const;

    int log_;
    int settled_;
    int events_ = -1;
    long unwatched_ = 0;  // -errno if not all names of the list are watched
    uint64_t last_call_ = 0;
    uint64_t check_at_ = keeper_clock::never;
    uint64_t made_at_ = 0;  // realtime: before whoever made it could end
};

}  // namespace sentry
