#include "sweep.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/openat2.h>

#include "clock.h"
#include "gitlink.h"
#include "line.h"
#include "mounts.h"
#include "path.h"
#include "socket_owner.h"
#include "sound.h"

namespace sweep {
namespace {

using husk::wire::NameOrder;

constexpr unsigned no_follow = 0x100;    // AT_SYMLINK_NOFOLLOW
constexpr unsigned empty_path = 0x1000;  // AT_EMPTY_PATH
constexpr unsigned format = 0170000;
constexpr unsigned directory = 0040000;
constexpr unsigned link = 0120000;
constexpr unsigned owner = 0700;
constexpr unsigned to_read = 0500;
constexpr unsigned longest_path = 4096;
constexpr unsigned longest_name = 255;

// Static: a mason has one of these. The state directory, or -1, and behind it the roots.
int held[1 + husk::wire::max_roots] = {-1};
unsigned held_count = 1;
int proc = -1;
char way[longest_path];

bool is_gone(long error) { return error == -ENOENT || error == -ENOTDIR; }

long open_path(int parent, const char* name, int flags) {
    open_how how{};
    how.flags = static_cast<__u64>(O_PATH | O_CLOEXEC | flags);
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return sys::openat2(parent, name, &how, sizeof how);
}

// A command may have taken from the user the right to enter a directory of the user's own. Root,
// and a mason with the capabilities of a user namespace, need no right, unless the directory
// belongs to a group that the namespace does not know.
bool open_up(int place, unsigned needed = owner) {
    constexpr unsigned wanted = 0x00b;  // STATX_TYPE | STATX_MODE | STATX_UID
    sys::FileStatus status{};
    if (place < 0 || sys::statx(place, "", empty_path, wanted, &status) != 0) return false;
    const bool is_closed = (status.mode & needed) != needed;
    const bool is_own = status.uid == static_cast<uint32_t>(sys::geteuid());
    if ((status.mode & format) != directory || !is_closed || !is_own) return false;
    Path self;
    self.add("self/fd/");
    self.add(place);
    return sys::fchmodat(proc, self.text, (status.mode & 07777U) | owner) == 0;
}

// Husk reads protected files with the user's rights, so no command may take away the right to read.
void keep_readable(int place) {
    if (sys::geteuid() != 0) open_up(place, to_read);
}

long status_of(int parent, const char* name, sys::FileStatus& status) {
    constexpr unsigned wanted = 0x901;  // STATX_TYPE | STATX_INO | STATX_BTIME
    long found = sys::statx(parent, name, no_follow, wanted, &status);
    if (found == -EACCES && open_up(parent))
        found = sys::statx(parent, name, no_follow, wanted, &status);
    return found;
}

// Whether the link is there that has to be.
bool is_as_it_was(const NameOrder& order, int parent, const char* name) {
    static char target[longest_path];
    if (order.target == 0) return false;
    const long size = sys::readlinkat(parent, name, target, sizeof target - 1);
    if (size < 0) return false;
    target[size] = 0;
    return is_same(target, text_of(order, order.target));
}

// Under a name that nothing has yet. A name that is too long is cut off.
long move_to(int keep, const char* start, const Place& place) {
    constexpr unsigned no_replace = 1;  // RENAME_NOREPLACE
    Line<longest_name + 1> kept;
    kept.add(start);
    kept.add(keeper_clock::realtime());
    kept.put('-');
    kept.add(place.name);
    kept.text[kept.length < longest_name ? kept.length : longest_name] = 0;
    return sys::renameat2(place.parent, place.name, keep, kept.text, no_replace);
}

long move(const Place& place, int root) {
    constexpr int empty_directory = 0x200;                                        // AT_REMOVEDIR
    if (sys::unlinkat(place.parent, place.name, empty_directory) == 0) return 0;  // nothing to keep
    sys::mkdirat(held[0], "reverted", 0700);
    const long keep = open_path(held[0], "reverted", O_DIRECTORY);
    const long moved = keep < 0 ? -EXDEV : move_to(static_cast<int>(keep), "", place);
    if (keep >= 0) sys::close(static_cast<int>(keep));
    if (moved == 0 || moved == -ENOENT) return moved;
    // In its own directory git might find it by that name.
    long aside = move_to(root, ".husk-reverted-", place);
    if (aside < 0 && aside != -ENOENT) aside = move_to(place.parent, ".husk-reverted-", place);
    return aside < 0 && moved != -EXDEV ? moved : aside;
}

// The path of a name below its root, as parts that are each ended by a NUL. Returns the size.
unsigned take_apart(const char* path) {
    unsigned size = 0;
    while (size < sizeof way - 1 && path[size] != 0) {
        way[size] = path[size] == '/' ? '\0' : path[size];
        ++size;
    }
    way[size++] = 0;
    return path[size - 1] == 0 ? size : 0;
}

unsigned length_of(const char* text) {
    unsigned length = 0;
    while (text[length] != 0) ++length;
    return length;
}

// Into the directory that the place names, to the next part of its path.
void go_in(const NameOrder& order, Place& place) {
    const long inner = open_path(place.parent, place.name, O_DIRECTORY);
    if (inner < 0) place.error = is_gone(inner) || inner == -ELOOP ? -EAGAIN : inner;
    if (inner >= 0 && (place.status.mode & to_read) != to_read)
        keep_readable(static_cast<int>(inner));
    if (place.parent != root_of(order)) sys::close(place.parent);
    place.parent = static_cast<int>(inner < 0 ? -1 : inner);
    place.name += length_of(place.name) + 1;
}

long make_link(const NameOrder& order, const Place& place) {
    const char* const target = text_of(order, order.target);
    const long made = sys::symlinkat(target, place.parent, place.name);
    const bool is_closed = made == -EACCES || made == -EPERM;
    if (!is_closed || !open_up(place.parent)) return made;
    return sys::symlinkat(target, place.parent, place.name);
}

// How much of the order's path names this place.
int named_by(const NameOrder& order, const Place& place) {
    const unsigned root = order.relative - static_cast<unsigned>(sizeof order);
    return static_cast<int>(root + (place.name - way) + length_of(place.name));
}

// One try. -EAGAIN when a directory on the path is replaced meanwhile.
Place walk(const NameOrder& order) {
    Place place;
    const char* const end = way + take_apart(text_of(order, order.relative));
    const char* last = way;
    for (const char* part = way; part < end; part += length_of(part) + 1) last = part;
    // Git does not enter a repository through a link.
    const bool is_repository = is_same(last, ".git");
    const bool only_itself = (order.flags & husk::wire::OnlyItself) != 0;
    place.parent = root_of(order);
    place.name = way;
    if (place.parent < 0) return place;
    if (end == way) place.error = -ENAMETOOLONG;
    while (place.error == 0) {
        const long found = status_of(place.parent, place.name, place.status);
        if (found < 0 && !is_gone(found)) place.error = found;
        if (found < 0) place.is_missing = is_gone(found) && place.name == last && order.target != 0;
        if (found < 0) break;
        const unsigned kind = place.status.mode & format;
        if (place.name == last) {
            place.is_there = !is_as_it_was(order, place.parent, place.name);
            break;
        }
        if (kind == link) place.is_there = !is_repository && !only_itself;
        if (kind == link && only_itself) place.error = -ELOOP;
        if (kind != directory) break;
        go_in(order, place);
    }
    return place;
}

}  // namespace

int root_of(const NameOrder& order) { return held[1 + order.root]; }

bool is_same(const char* one, const char* other) {
    while (*one != 0 && *one == *other) ++one, ++other;
    return *one == *other;
}

long hold(const char* path, const husk::wire::Identity& identity, bool is_state) {
    if (held_count > husk::wire::max_roots) return -EMFILE;
    const long opened = mounts::open(path, identity);
    if (opened < 0 && (is_state || !is_gone(opened))) return opened;
    (is_state ? held[0] : held[held_count++]) = static_cast<int>(opened < 0 ? -1 : opened);
    if (!is_state && opened >= 0) socket_owner::trust_place(static_cast<int>(opened));
    return 0;
}

void lift(int above) {
    for (unsigned i = 0; i < held_count; ++i)
        if (held[i] >= 0) held[i] = static_cast<int>(sys::fcntl(held[i], F_DUPFD_CLOEXEC, above));
}

int settle(int first, int proc_fd) {
    proc = proc_fd;
    for (unsigned i = 0; i < held_count; ++i)
        if (held[i] >= 0) held[i] = static_cast<int>(sys::dup3(held[i], first++, O_CLOEXEC));
    return first;
}

void let_go() {
    for (unsigned i = 0; i < held_count; ++i) sys::close_once(held[i]);
    held_count = 1;
}

bool Orders::is_sound() const {
    return husk::wire::are_sound(begin, static_cast<uint64_t>(size), held_count - 1);
}

void keep_roots_readable() {
    for (unsigned i = 1; i < held_count; ++i) keep_readable(held[i]);
}

void leave(const NameOrder& order, Place& place) {
    if (place.parent >= 0 && place.parent != root_of(order)) sys::close(place.parent);
    place.parent = -1;
}

Place look(const NameOrder& order) {
    constexpr int most_tries = 8;
    Place place = walk(order);
    for (int i = 1; place.error == -EAGAIN && i < most_tries; ++i) place = walk(order);
    return place;
}

int take_away(const NameOrder& order, const Place& place) {
    if (place.error != 0) return static_cast<int>(place.error);
    if (place.is_missing) {
        const long made = make_link(order, place);
        return made < 0 ? static_cast<int>(made) : named_by(order, place);
    }
    if (!place.is_there) return 0;
    if ((order.flags & husk::wire::Gitlink) != 0 && gitlink::is_harmless(order, place)) return 0;
    const int top = root_of(order);
    long moved = move(place, top);
    if (moved == -EACCES || moved == -EPERM) {
        const long itself = open_path(place.parent, place.name, O_NOFOLLOW);
        const bool opened_top = open_up(top);
        const bool opened = open_up(place.parent) || opened_top;
        if (open_up(static_cast<int>(itself)) || opened) moved = move(place, top);
        if (itself >= 0) sys::close(static_cast<int>(itself));
    }
    if (moved == -ENOENT) return 0;
    if (moved < 0) return static_cast<int>(moved);
    const long made = order.target != 0 ? make_link(order, place) : 0;
    return made < 0 ? static_cast<int>(made) : named_by(order, place);
}

}  // namespace sweep
