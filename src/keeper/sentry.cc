#include "sentry.h"

#include <asm/errno.h>
#include <linux/mman.h>

#include "denial_log.h"
#include "git_config.h"
#include "line.h"
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

// How long after a call of the session names are looked at. A command that makes such a name for a
// moment finds it as it left it.
constexpr uint64_t patience_ms = 300;
// How long a call may take to create its file after the witness has let it go on. A command can
// make that longer: by keeping the processors busy, or by holding the lock of the directory.
constexpr uint64_t recent_ms = 5000;
// A look takes at most a twentieth of a processor. But looks are never further apart than the
// second bound: after `recent_ms` nobody knows any more whose a name is.
constexpr uint64_t rests_per_look = 20;
constexpr uint64_t longest_rest_ms = 2000;
// A session that makes a name again and again, so that every look finds it, is ended after so many
// looks. Each look that finds none makes up for half of one that did.
constexpr unsigned most_again = 12;
constexpr unsigned per_look = 2;

// The names that are guarded, sorted by path, and room for the next list. Static: a mason has one.
alignas(8) char lists[2][husk::wire::max_orders];
sweep::Orders guarded{lists[0], 0};

int compare(const char* one, const char* other) {
    while (*one != 0 && *one == *other) ++one, ++other;
    return static_cast<unsigned char>(*one) - static_cast<unsigned char>(*other);
}

NameOrder* find(const char* path) {
    NameOrder* found = nullptr;
    guarded.for_each([&](NameOrder& name) {
        if (sweep::is_same(path_of(name), path)) found = &name;
    });
    return found;
}

// What is there may be the session's, and it was not told yet that it has to stay.
bool is_suspect(const NameOrder& name) { return name.inode == 0 && name.failed == 0; }

// The guarded name with this path, in a list that is asked for paths in their order; `at` is where
// to go on.
const NameOrder* find_next(const sweep::Orders& list, long& at, const char* path) {
    while (at < list.size) {
        const auto& name = *reinterpret_cast<const NameOrder*>(list.begin + at);
        const int order = compare(path_of(name), path);
        if (order >= 0) return order == 0 ? &name : nullptr;
        at += name.size;
    }
    return nullptr;
}

// Adds the name to the list, with what is known about it. False when there is no room.
bool add(sweep::Orders& list, const NameOrder& name, const NameOrder* known) {
    if (list.size + name.size > husk::wire::max_orders) return false;
    auto& added = *reinterpret_cast<NameOrder*>(list.begin + list.size);
    memcpy(&added, &name, name.size);
    list.size += name.size;
    const NameOrder nothing{};
    const NameOrder& from = known != nullptr ? *known : nothing;
    added.inode = from.inode;
    added.born = from.born;
    added.failed = from.failed;
    added.was_taken = from.was_taken;
    return true;
}

// Replaces the names that are guarded by those in the orders. A name where the caller found
// something is the user's, unless it was guarded already and nobody saw the user make it. Returns 0
// or -errno.
long replace_guarded(const sweep::Orders& orders) {
    sweep::Orders next{guarded.begin == lists[0] ? lists[1] : lists[0], 0};
    long failed = 0;
    long at = 0;
    const char* last = "";
    orders.for_each([&](const NameOrder& name) {
        if ((name.flags & husk::wire::Watch) == 0) return;
        if (compare(last, path_of(name)) >= 0) failed = -EBADMSG;  // not sorted
        last = path_of(name);
        const NameOrder* known = find_next(guarded, at, last);
        const bool is_there = (name.flags & husk::wire::IsThere) != 0;
        if (is_there && (known == nullptr || !is_suspect(*known))) return;
        if (!add(next, name, known)) failed = -E2BIG;
    });
    guarded = next;
    return failed;
}

bool any_command_lives(const pool::Seats* seats) {
    const uint32_t used = seats == nullptr ? 0 : seats->used;
    for (uint32_t i = 0; i < used; ++i)
        if (pool::has_command(seats->places[i])) return true;
    return false;
}

// When the object was made, or 0 where the file system does not tell: then another one may have
// got its number.
uint64_t birth_of(const sys::FileStatus& status) {
    constexpr uint32_t has_birth = 0x800;
    constexpr uint64_t second = 1000 * millisecond;
    if ((status.mask & has_birth) == 0) return 0;
    return static_cast<uint64_t>(status.born_seconds) * second + status.born_nanoseconds;
}

// When a name was made, at the earliest and at the latest (realtime).
struct Between {
    uint64_t since;
    uint64_t until;
};

void note(int log, Between when, const char* what, const NameOrder& name, int error = 0) {
    static Line<32 * 1024> line;
    line.length = 0;
    line.add("{\"ns\":");
    line.add(when.until);
    line.add(",\"since\":");
    line.add(when.since);
    line.add(",\"");
    line.add(what);
    line.add("\":");
    line.quote(path_of(name));
    if (error != 0) {
        line.add(",\"error\":");
        line.add(static_cast<uint64_t>(error));
    }
    line.add("}\n");
    denial_log::add_line(log, line.text, line.length);
}

}  // namespace

bool is_suspect(const char* path) {
    const NameOrder* name = find(path);
    return name != nullptr && is_suspect(*name);
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

long Sentry::carry_out(const sweep::Orders& orders) {
    bool has_list = false;
    orders.for_each([&](const NameOrder& name) {
        has_list = has_list || (name.flags & husk::wire::Watch) != 0;
    });
    // A call whose end is settled with this look must not hide what another command does now.
    if (any_command_lives(sources_.seats)) last_alive_ = keeper_clock::monotonic();
    sweep::keep_roots_readable();
    if (has_list) look();
    const long failed = has_list ? replace_guarded(orders) : 0;
    if (has_list) git_config::keep(orders);
    orders.for_each([](NameOrder& name) {
        if ((name.flags & husk::wire::TakeAway) == 0) return;
        Place place = sweep::look(name);
        name.result = sweep::take_away(name, place);
        if (place.is_missing && name.result > 0) name.flags |= husk::wire::MadeAgain;
        sweep::leave(name, place);
    });
    return failed;
}

void Sentry::before_call() {
    if (guarded.size == 0) return;
    asked_ = keeper_clock::monotonic();
    // Keepers make calls too, when their command is over.
    if (any_command_lives(sources_.seats)) last_alive_ = asked_;
    if (asked_ - last_call_ >= recent_ms * millisecond) look();
    if (first_asked_ == 0) first_asked_ = asked_;
}

void Sentry::after_call() {
    last_call_ = keeper_clock::monotonic();
    if (look_at_ == never && guarded.size > 0)
        look_at_ = keeper_clock::after(last_call_, patience_ms);
}

// The maker of a name may have ended already. Nothing was left of it if a call was settled since.
bool Sentry::may_be_the_sessions(uint64_t now) {
    if (any_command_lives(sources_.seats)) last_alive_ = now;
    const bool is_looked_at = last_call_ < last_look_;
    if (is_looked_at && now - last_call_ >= recent_ms * millisecond) return false;
    uint64_t settled = 0;
    sys::pread(sources_.settled, &settled, sizeof settled, 0);
    return settled < last_alive_;
}

void Sentry::look() {
    const uint64_t begun = keeper_clock::monotonic();
    const bool by_session = may_be_the_sessions(begun);
    last_look_ = begun;
    const NameOrder* again = nullptr;
    guarded.for_each([&](NameOrder& name) {
        const bool was_taken = name.was_taken != 0;
        if (look_at(name, by_session) && was_taken) again = &name;
    });
    if (again != nullptr)
        again_ += per_look;
    else if (again_ > 0)
        --again_;
    if (again != nullptr && insists() && again_ - per_look < most_again)
        note_about(*again, "insisted");
    first_asked_ = 0;
    const uint64_t now = keeper_clock::monotonic();
    uint64_t rest = (now - begun) * rests_per_look;
    if (rest < patience_ms * millisecond) rest = patience_ms * millisecond;
    if (rest > longest_rest_ms * millisecond) rest = longest_rest_ms * millisecond;
    look_at_ = by_session ? now + rest : never;
}

bool Sentry::insists() const { return again_ >= most_again; }

// Reports find it by the time when those ran that may have made the name.
void Sentry::note_about(const NameOrder& name, const char* what, int error) const {
    const uint64_t zero = keeper_clock::realtime() - keeper_clock::monotonic();
    const uint64_t since = first_asked_ != 0 ? first_asked_ : asked_;
    note(sources_.log, {zero + since, zero + asked_}, what, name, error);
}

// Returns true if something was taken away or made again.
bool Sentry::look_at(NameOrder& name, bool by_session) const {
    Place place = sweep::look(name);
    const uint64_t born = birth_of(place.status);
    const bool is_there = place.error == 0 && place.is_there;
    const bool is_known =
        is_there && born != 0 && born == name.born && place.status.inode == name.inode;
    int result = 0;
    if (by_session && !is_known) result = sweep::take_away(name, place);
    if (!by_session && place.is_missing) name.target = 0;  // the user has removed the link
    // If it cannot be taken away, it is protected as it is, and the user is told.
    const bool stays = is_there && (is_known || !by_session || result < 0);
    name.inode = stays ? place.status.inode : 0;
    name.born = stays ? born : 0;
    if (result > 0) {
        name.was_taken = 1;
        note_about(name, place.is_missing ? "restored" : "reverted");
    } else if (result < 0 && name.failed == 0) {
        note_about(name, "unreverted", -result);
    }
    name.failed = result < 0;
    sweep::leave(name, place);
    return result > 0;
}

}  // namespace sentry
