// The seats of a nursery's keepers, in memory that all of them share. It tells how many
// spares there are without anybody asking anybody.
#pragma once

#include <stdint.h>

namespace pool {

inline constexpr uint32_t max_keepers = 4096;
inline constexpr uint32_t spares = 2;         // kept ready, always
inline constexpr uint32_t most_spares = 128;  // kept after a burst, for half a minute

// Minding: the command is over, and what it left behind lives. Nobody has asked for that.
enum Seat : uint32_t { Empty = 0, Idle = 1, Busy = 2, Leaving = 3, Minding = 4 };

struct Place {
    int32_t pid;
    uint32_t seat;     // a Seat
    uint32_t is_over;  // 1: nothing of the command lives, though the keeper may still be busy
};

struct Seats {
    uint32_t used;         // places[0, used) may be taken
    uint32_t awaiting;     // the nursery waits only for the last busy keeper, who wakes it
    int32_t socket_asker;  // the keeper that asks about sockets now, or 0
    uint32_t closing;      // the session ends: no plan is taken any more
    Place places[max_keepers];
};

// Ordered with `awaiting` on both sides, so that the last keeper and the nursery cannot miss
// each other.
inline uint32_t seat_of(const Place& place) {
    return __atomic_load_n(&place.seat, __ATOMIC_SEQ_CST);
}
inline void sit(Place& place, Seat seat) {
    __atomic_store_n(&place.seat, static_cast<uint32_t>(seat), __ATOMIC_SEQ_CST);
}
// Before the keeper says that a command is gone. Whoever hears that can rely on it.
inline void note_over(Place& place, bool over) {
    __atomic_store_n(&place.is_over, over ? 1U : 0U, __ATOMIC_SEQ_CST);
}
inline bool has_command(const Place& place) {
    const uint32_t seat = seat_of(place);
    // The tree of a keeper that was killed has no keeper, until the nursery has ended it.
    if (place.pid == -1) return true;
    return (seat == Busy || seat == Minding) &&
           __atomic_load_n(&place.is_over, __ATOMIC_SEQ_CST) == 0;
}
inline void await(Seats& seats, bool on) {
    __atomic_store_n(&seats.awaiting, on ? 1U : 0U, __ATOMIC_SEQ_CST);
}
inline bool is_awaited(const Seats& seats) {
    return __atomic_load_n(&seats.awaiting, __ATOMIC_SEQ_CST) != 0;
}

// The nursery closes first and signals its busy keepers then. A keeper that does not see `closing`
// when it takes a plan gets that signal afterwards.
inline void close(Seats& seats) { __atomic_store_n(&seats.closing, 1U, __ATOMIC_SEQ_CST); }
inline bool is_closing(const Seats& seats) {
    return __atomic_load_n(&seats.closing, __ATOMIC_SEQ_CST) != 0;
}

// Only one of a nursery that closes and a keeper that gets work can win.
inline bool change(Place& place, Seat from, Seat to) {
    uint32_t expected = from;
    return __atomic_compare_exchange_n(&place.seat, &expected, static_cast<uint32_t>(to), false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

inline uint32_t count(const Seats& seats, Seat wanted) {
    uint32_t result = 0;
    for (uint32_t i = 0; i < seats.used; ++i)
        result += seat_of(seats.places[i]) == wanted ? 1U : 0U;
    return result;
}

// What a keeper asks of pid 1 when its tree does not die.
enum class Plea : uint32_t {
    Nothing,
    EndTree,     // kill the tree of this keeper, while nothing else of the session moves
    EndSession,  // kill all that the session has
};

// keeper -> nursery when it takes a plan, with the descriptor {record}: whom to write off
// should the keeper be killed. Without a descriptor it only wakes, or asks.
struct Registration {
    uint32_t place;
    Plea plea = Plea::Nothing;
};

}  // namespace pool
