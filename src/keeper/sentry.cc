#include "sentry.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>
#include <linux/mman.h>

#include "line.h"
#include "proc.h"
#include "sweep.h"
#include "sys.h"
#include "walls_wire.h"

namespace sentry {
namespace {

using husk::wire::NameOrder;
using keeper_clock::millisecond;
using keeper_clock::never;
using sweep::path_of;
using sweep::Place;
using sweep::text_of;

// A command that makes such a name for a moment finds it as it left it.
constexpr uint64_t patience_ms = 300;
// How long a call may take to create its file after the witness has let it go on. A command can
// make that longer: by keeping the processors busy, or by holding the lock of the directory.
constexpr uint64_t recent_ms = 5000;

// Who made a name.
enum Blame : uint32_t { Nobody, TheSession, SomebodyElse };

// The names that are watched. Static: a mason has one of these.
alignas(8) char watched_names[husk::wire::max_orders];
sweep::Orders watched{watched_names, 0};

NameOrder* find(const sweep::Orders& list, const char* path) {
    NameOrder* found = nullptr;
    list.for_each([&](NameOrder& name) {
        if (sweep::is_same(path_of(name), path)) found = &name;
    });
    return found;
}

// Returns true if the orders are just the names that are watched. False if one of these is suspect:
// such a name may be missing in the orders.
bool are_watched(const sweep::Orders& orders) {
    if (orders.size != watched.size) return false;
    for (long i = 0; i < orders.size; ++i)
        if (orders.begin[i] != watched_names[i]) return false;
    return true;
}

// Replaces the names that are watched. A name that was suspect stays so, also if it is not in the
// new list: it existed when that was made, but was not the user's. False when there are too many.
bool replace_watched(const sweep::Orders& orders) {
    sweep::Orders suspects{watched_names, 0};
    watched.for_each([&](const NameOrder& name) {
        const uint16_t size = name.size;
        if (name.suspect == 0) return;
        // To the front, over what was looked at already: memcpy of this program goes forwards.
        memcpy(watched_names + suspects.size, &name, size);
        suspects.size += size;
    });
    watched.size = suspects.size;
    bool fits = true;
    orders.for_each([&](const NameOrder& name) {
        const bool is_new = find(suspects, path_of(name)) == nullptr;
        if ((name.flags & husk::wire::Watch) == 0 || !is_new) return;
        const bool has_room = watched.size + name.size <= long{sizeof watched_names};
        fits = fits && has_room;
        if (!has_room) return;
        memcpy(watched_names + watched.size, &name, name.size);
        watched.size += name.size;
    });
    return fits;
}

// Whether `part` is one of the path's.
bool has_part(const char* path, const char* part) {
    for (;;) {
        const char* want = part;
        while (*want != 0 && *path == *want) ++path, ++want;
        if (*want == 0 && (*path == 0 || *path == '/')) return true;
        while (*path != 0 && *path != '/') ++path;
        if (*path++ == 0) return false;
    }
}

// The witness is not told of links; and who makes one of these a link hides something. A hard one
// shows by its second name, or, when that is gone again, by being older than its name. Where the
// file system does not tell how old a file is, it may be one.
bool is_link(const sys::FileStatus& status, uint64_t made_at) {
    constexpr unsigned format = 0170000;
    constexpr unsigned regular = 0100000;
    constexpr unsigned link = 0120000;
    constexpr uint32_t has_birth = 0x800;
    constexpr uint64_t second = 1000 * millisecond;
    if ((status.mode & format) == link) return true;
    if ((status.mode & format) != regular) return false;
    const uint64_t born =
        static_cast<uint64_t>(status.born_seconds) * second + status.born_nanoseconds;
    const bool may_be_old = (status.mask & has_birth) == 0 || born + second < made_at;
    return status.links > 1 || may_be_old;
}

// Returns true if a command of the session is alive, or if that cannot be told. The children of
// pid 1 are the keepers, and theirs the commands.
bool any_command_lives() {
    constexpr int init = 1;
    proc::see_again();
    proc::forget_kin();
    proc::add_children(init, 0);
    const unsigned keepers = proc::kin_count();
    for (unsigned i = 0; i < keepers; ++i) proc::add_children(proc::kin(i).pid, 0);
    return keepers == 0 || proc::kin_count() > keepers || proc::is_blind();
}

// Marks the names that have `part` in their path, or all if it is null. False when there is none.
bool has_come(const char* part, bool by_session) {
    bool found = false;
    watched.for_each([&](NameOrder& name) {
        if (part != nullptr && !has_part(text_of(name, name.relative), part)) return;
        if (name.blame != TheSession) name.blame = by_session ? TheSession : SomebodyElse;
        if (by_session) name.suspect = 1;
        found = true;
    });
    return found;
}

void note(int log, uint64_t when, const NameOrder& name, int result) {
    static Line<32 * 1024> line;
    line.length = 0;
    line.add("{\"ns\":");
    line.add(when);
    line.add(result > 0 ? ",\"reverted\":" : ",\"unreverted\":");
    line.quote(path_of(name));
    if (result < 0) {
        line.add(",\"error\":");
        line.add(static_cast<uint64_t>(-result));
    }
    line.add("}\n");
    sys::write(log, line.text, line.length);
}

}  // namespace

bool is_suspect(const char* path) {
    const NameOrder* name = find(watched, path);
    return name != nullptr && name->suspect != 0;
}

long Sentry::obey(int file) {
    constexpr int from_end = 2;
    const long size = sys::lseek(file, 0, from_end);
    if (size <= 0 || size > husk::wire::max_orders) return -EBADMSG;
    const long mapped =
        sys::mmap(nullptr, static_cast<size_t>(size), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped < 0 && mapped > -4096) return mapped;
    const sweep::Orders orders{reinterpret_cast<char*>(mapped), size};
    const long failed = orders.is_sound() ? carry_out(orders) : -EBADMSG;
    sys::munmap(reinterpret_cast<void*>(mapped), static_cast<size_t>(size));
    return failed;
}

// Each name is watched before it is looked at, so that none can come in between.
long Sentry::carry_out(const sweep::Orders& orders) {
    const int events = take_list(orders) ? events_ : -1;
    orders.for_each([&](NameOrder& name) {
        const bool goes = (name.flags & husk::wire::TakeAway) != 0;
        const int watch = (name.flags & husk::wire::Watch) != 0 ? events : -1;
        if (!goes && watch < 0) return;
        Place place = sweep::look(name, watch);
        if (place.unwatched < 0) unwatched_ = place.unwatched;
        if (goes) {
            name.result = sweep::take_away(name, place);
            // The user is told, and it is protected from now on.
            NameOrder* kept = name.result < 0 ? find(watched, path_of(name)) : nullptr;
            if (kept != nullptr) kept->suspect = 0;
        }
        sweep::leave(name, place);
    });
    return unwatched_;
}

// Returns true if these are other names than before.
bool Sentry::take_list(const sweep::Orders& orders) {
    bool has_list = false;
    orders.for_each([&](const NameOrder& name) {
        has_list = has_list || (name.flags & husk::wire::Watch) != 0;
    });
    if (!has_list) return false;
    check_now();
    // The witness may have let a call go on just before, which has yet to be made.
    if (any_command_lives()) last_call_ = keeper_clock::monotonic();
    if (events_ >= 0 && are_watched(orders)) return false;
    if (events_ < 0) events_ = static_cast<int>(sys::inotify_init1(O_CLOEXEC | O_NONBLOCK));
    const bool fits = replace_watched(orders);
    unwatched_ = events_ < 0 ? events_ : fits ? 0 : -E2BIG;
    return events_ >= 0;
}

void Sentry::note_call() {
    if (events_ >= 0) last_call_ = keeper_clock::monotonic();
}

// The maker of a name may have ended already. Nothing was left of it if a call was settled since.
bool Sentry::may_be_the_sessions(uint64_t now) const {
    if (now - last_call_ >= recent_ms * millisecond) return false;
    uint64_t settled = 0;
    sys::pread(settled_, &settled, sizeof settled, 0);
    return settled < last_call_ || any_command_lives();
}

void Sentry::on_events() {
    const uint64_t now = keeper_clock::monotonic();
    const uint64_t since_call = now - last_call_;
    bool by_session = false;
    bool ours = false;
    alignas(inotify_event) char buffer[4096];
    for (;;) {
        const long got = sys::read(events_, buffer, sizeof buffer);
        if (got <= 0) break;
        // Behind the read: what the user makes after the answer to a call finds it settled.
        by_session = may_be_the_sessions(now);
        for (long at = 0; at < got;) {
            const auto& event = *reinterpret_cast<const inotify_event*>(buffer + at);
            at += static_cast<long>(sizeof event + event.len);
            if ((event.mask & IN_Q_OVERFLOW) != 0) ours |= has_come(nullptr, by_session);
            if (event.len > 0) ours |= has_come(event.name, by_session);
        }
    }
    if (!ours || check_at_ != never) return;
    check_at_ = keeper_clock::after(now, patience_ms);
    made_at_ = keeper_clock::realtime() - (by_session ? since_call : 0);
}

void Sentry::check() {
    if (check_at_ == never) return;
    check_at_ = never;
    watched.for_each([&](NameOrder& name) {
        if (name.blame == Nobody) return;
        const bool by_session = name.blame == TheSession;
        name.blame = Nobody;
        Place place = sweep::look(name, events_);
        const bool guilty =
            by_session || place.error != 0 || (place.is_there && is_link(place.status, made_at_));
        const int result = guilty ? sweep::take_away(name, place) : 0;
        // If it cannot be taken away, it is protected as it is, and the user is told.
        name.suspect = result >= 0 && (guilty || !place.is_there) ? 1 : 0;
        if (result != 0) note(log_, made_at_, name, result);
        sweep::leave(name, place);
    });
}

void Sentry::check_now() {
    if (events_ < 0) return;
    on_events();
    check();
}

}  // namespace sentry
