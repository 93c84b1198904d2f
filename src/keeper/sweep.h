// Takes protected names away that a session made. It lives in the mason, where no command can
// reach it, and looks at files only through descriptors of the session's roots that were opened
// before there was any command. Symbolic links on the path are not followed: they could lead to a
// file that existed before the session.
#pragma once

#include <stdint.h>

#include "sys.h"
#include "walls_wire.h"

namespace sweep {

// Opens a root, or the state directory, before there are namespaces. Returns 0 or -errno.
long hold(const char* path, const husk::wire::Identity& identity, bool is_state);

// For the mason, which puts its descriptors in order: moves what is held to numbers from `above`
// on, and then to those from `first` on. Returns the first number behind them. /proc is `proc`.
void lift(int above);
int settle(int first, int proc);
// For all other processes: closes what is held.
void let_go();

// If a command took from the user the right to read a root, gives it back. A look does the same for
// the directories on the path.
void keep_roots_readable();

// A list of husk::wire::NameOrder in memory.
struct Orders {
    char* begin = nullptr;
    long size = 0;

    // Whether every order lies within the list, and is about a root that is held.
    bool is_sound() const;
    template <class Visit>
    void for_each(const Visit& visit) const {
        for (long at = 0; at < size;) {
            auto& order = *reinterpret_cast<husk::wire::NameOrder*>(begin + at);
            at += order.size;
            visit(order);
        }
    }
};

inline const char* text_of(const husk::wire::NameOrder& order, uint16_t offset) {
    return reinterpret_cast<const char*>(&order) + offset;
}
inline const char* path_of(const husk::wire::NameOrder& order) {
    return text_of(order, sizeof order);
}

// The descriptor of the order's root, or -1.
int root_of(const husk::wire::NameOrder& order);

bool is_same(const char* one, const char* other);

// What is at a name now.
struct Place {
    long error = 0;              // -errno when that cannot be told
    bool is_there = false;       // and is not what has to be there
    bool is_missing = false;     // the link that has to be there
    int parent = -1;             // the directory that it is in
    const char* name = nullptr;  // in there; valid until the next look
    sys::FileStatus status{};
};

// Walks from the root to the name. If a link is on the path, the link is what is there: links that
// existed before are not part of any order.
Place look(const husk::wire::NameOrder& order);
void leave(const husk::wire::NameOrder& order, Place& place);

// Moves it to `reverted` in the state directory, or, if that is impossible, to another name beside
// it, and makes the link again that has to be there, also if it is only missing. Returns the result
// of the order.
int take_away(const husk::wire::NameOrder& order, const Place& place);

}  // namespace sweep
