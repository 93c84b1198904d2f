#include "foresight.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/fs.h>
#include <linux/stat.h>

#include "caller.h"
#include "home_copy.h"
#include "mounts.h"
#include "path.h"
#include "proc.h"
#include "sys.h"
#include "walk.h"

namespace foresight {
namespace {

using husk::wire::Attempt;
using husk::wire::WatchedCall;
using husk::wire::WatchedPath;
using walk::LastLink;

constexpr unsigned longest_path = 4096;
constexpr unsigned empty_path = 0x1000;  // AT_EMPTY_PATH
constexpr unsigned not_through_links = AT_SYMLINK_NOFOLLOW;
constexpr unsigned of_interest = STATX_TYPE | STATX_INO | STATX_MNT_ID;

// Static: a mason has one thread, and a small stack would have to hold them.
char first_text[longest_path];
char second_text[longest_path];
char way[longest_path + sizeof(Path)];
char resolved[longest_path * 2];
caller::Permissions permissions;  // of the caller that is looked at closely

// What is known of the mounts that calls led to.
enum class Kind : uint8_t { Unknown, Writable, ReadOnly };
struct KnownMount {
    uint64_t id;
    Kind kind;
};
constexpr unsigned most_known = 32;
KnownMount known[most_known];
unsigned next_known = 0;

// --- What a call asks for --------------------------------------------------------------------

enum class Deed : uint8_t { Open, Make, MakeDirectory, Link, Rename, Remove, Truncate, Change };

struct Asked {
    Deed deed;
    uint64_t flags = 0;  // of open, renameat2, unlinkat and those that may not follow links
    WatchedPath from = {};
    WatchedPath to = {};
};

constexpr bool is(int number, [[maybe_unused]] int x86_64, [[maybe_unused]] int aarch64) {
#if defined(__aarch64__)
    return number == aarch64;
#else
    return number == x86_64;
#endif
}

constexpr int none = -1;
static_assert(none == husk::wire::none);

Asked opening(const seccomp_data& call, const WatchedCall& watched) {
    constexpr uint64_t as_creat = O_CREAT | O_WRONLY | O_TRUNC;
    const uint64_t flags = watched.flags < 0 ? as_creat : call.args[watched.flags];
    return {Deed::Open, flags & 0xffffffff, watched.first};
}

Asked making(const seccomp_data& call, const WatchedCall& watched) {
    const int number = call.nr;
    if (is(number, 85, none)) return opening(call, watched);  // creat
    const bool is_mkdir = is(number, 83, none) || is(number, 258, 34);
    return {is_mkdir ? Deed::MakeDirectory : Deed::Make, 0, watched.first};
}

Asked changing(const seccomp_data& call, const WatchedCall& watched) {
    const int number = call.nr;
    Asked asked{Deed::Change, 0, watched.first};
    if (is(number, 94, none)) asked.flags = AT_SYMLINK_NOFOLLOW;  // lchown
    if (is(number, 260, 54)) asked.flags = call.args[4];          // fchownat
    if (is(number, 280, 88)) asked.flags = call.args[3];          // utimensat
    return asked;
}

Asked asked_for(const seccomp_data& call, const WatchedCall& watched) {
    const int number = call.nr;
    switch (watched.attempt) {
        case Attempt::Write:
            if (is(number, 76, 45)) return {Deed::Truncate, 0, watched.first};
            return opening(call, watched);
        case Attempt::Create: return making(call, watched);
        case Attempt::Symlink: return {Deed::Make, 0, watched.first};
        case Attempt::Link: {
            const bool at = is(number, 265, 37);
            return {Deed::Link, at ? call.args[4] : 0,
                    at ? WatchedPath{0, 1} : WatchedPath{none, 0}, watched.first};
        }
        case Attempt::Rename:
            return {Deed::Rename, is(number, 316, 276) ? call.args[4] : 0, watched.first,
                    watched.second};
        case Attempt::Remove:
            return {Deed::Remove,
                    is(number, 84, none)  ? uint64_t{AT_REMOVEDIR}
                    : is(number, 263, 35) ? call.args[2]
                                          : 0,
                    watched.first};
        case Attempt::Metadata:
        case Attempt::Connect: return changing(call, watched);
    }
    return {Deed::Change};
}

// --- The usual case, which should cost little ------------------------------------------------

int directory_of(const seccomp_data& call, const WatchedPath& where) {
    return where.directory < 0 ? walk::at_working_directory
                               : static_cast<int>(call.args[where.directory]);
}

// Leaves in `way` how the mason gets to the path: a relative one through the link in /proc to where
// it begins.
int find_way(const Caller& caller, int directory, const char* path) {
    Path start;
    if (path[0] != '/') {
        start.add(caller.pid);
        start.add(directory < 0 ? "/cwd" : "/fd/");
        if (directory >= 0) start.add(directory);
        start.add("/");
    }
    unsigned length = 0;
    const char* const parts[] = {start.text, path};
    for (const char* part : parts)
        while (*part != 0) way[length++] = *part++;
    way[length] = 0;
    return start.length > 0 ? caller.proc : AT_FDCWD;
}

// Where the last name of the way begins; slashes behind it go.
char* last_name() {
    unsigned end = 0;
    while (way[end] != 0) ++end;
    while (end > 1 && way[end - 1] == '/') way[--end] = 0;
    while (end > 0 && way[end - 1] != '/') --end;
    return way + end;
}

Kind kind_of(uint64_t mount, int base) {
    for (const KnownMount& one : known)
        if (one.id == mount && one.kind != Kind::Unknown) return one.kind;
    const long opened = sys::openat(base, way, O_PATH | O_CLOEXEC);
    if (opened < 0) return Kind::Unknown;
    const bool read_only = mounts::is_read_only(static_cast<int>(opened));
    sys::close(static_cast<int>(opened));
    KnownMount& one = known[next_known++ % most_known];
    one = {mount, read_only ? Kind::ReadOnly : Kind::Writable};
    return one.kind;
}

bool is_special(const sys::FileStatus& status) {
    const unsigned type = status.mode & unsigned{S_IFMT};
    return type != S_IFREG && type != S_IFDIR && type != S_IFLNK;
}

// Of the copy of HOME, only what was written before is plain.
bool is_plain_place(const sys::FileStatus& status, int base, const char* path) {
    if (home_copy::holds(status)) return home_copy::is_known_part(path);
    return kind_of(status.mount, base) == Kind::Writable;
}

// Whether no wall can be in the way: the place, or the directory that a new name would be in, is in
// a mount that can be written. Anything that needs a closer look is not plain.
bool is_plainly_free(const Caller& caller, int directory, const char* path, Deed deed) {
    const int base = find_way(caller, directory, path);
    sys::FileStatus status{};
    long found = sys::statx(base, way, not_through_links, of_interest, &status);
    const bool opens = deed == Deed::Open || deed == Deed::Truncate || deed == Deed::Change;
    if (found == 0 && opens && (status.mode & S_IFMT) == S_IFLNK) {
        found = sys::statx(base, way, 0, of_interest, &status);
        if (found != 0) return false;
    }
    if (found == 0) {
        if (is_special(status)) return deed == Deed::Open;
        if (!opens && (status.attributes & STATX_ATTR_MOUNT_ROOT) != 0) return false;
        return is_plain_place(status, base, path);
    }
    if (found != -ENOENT) return false;
    *last_name() = 0;
    if (sys::statx(base, way, 0, of_interest, &status) != 0) return false;
    return is_plain_place(status, base, path);
}

// --- The closer look -------------------------------------------------------------------------

struct Seen {
    sys::FileStatus status{};
    bool is_known = false;

    unsigned type() const { return status.mode & unsigned{S_IFMT}; }
    bool is_directory() const { return type() == S_IFDIR; }
};

Seen look(int object) {
    Seen seen;
    seen.is_known =
        object >= 0 && sys::statx(object, "", empty_path, of_interest, &seen.status) == 0;
    return seen;
}

bool permits(int object, int rights) { return permissions.allow(object, rights); }

constexpr int to_write = 2;   // W_OK
constexpr int to_search = 1;  // X_OK
constexpr int to_read = 4;    // R_OK

void resolve(const Caller& caller, const walk::End& end) {
    const bool is_there = end.is_there();
    Path link;
    link.add("self/fd/");
    link.add(is_there ? end.object : end.parent);
    const long got = sys::readlinkat(caller.proc, link.text, resolved, longest_path - 1);
    unsigned length = got > 0 ? static_cast<unsigned>(got) : 0;
    const char* rest = is_there ? nullptr : end.name;
    if (rest != nullptr && length > 1) resolved[length++] = '/';
    while (rest != nullptr && *rest != 0 && length < sizeof resolved - 1)
        resolved[length++] = *rest++;
    resolved[length] = 0;
}

Refusal refuse(const Caller& caller, int error, const walk::End& end) {
    resolve(caller, end);
    return {error, resolved, nullptr};
}

// Nothing but the copy of HOME is in the way: what would be lost there and not seem so is refused,
// and what is written there for the first time is told.
Refusal judge_writable(const Caller& caller, int place, const walk::End& end) {
    if (!home_copy::holds(look(place).status)) return {};
    resolve(caller, end);
    if (home_copy::would_seem_saved(resolved)) return {EROFS, resolved, nullptr, true};
    return {0, nullptr, permits(place, to_write) ? home_copy::take_new_part(resolved) : nullptr};
}

Refusal refusal_of_new_name(const Caller& caller, const walk::End& end) {
    if (mounts::is_read_only(end.parent)) return refuse(caller, EROFS, end);
    return judge_writable(caller, end.parent, end);
}

// A program that runs cannot be written: the kernel says so before it looks at the mount. Only the
// kernel knows. Nothing is written: the mount is read-only, so that this open fails one way or the
// other.
bool is_busy_program(const Caller& caller, int object) {
    Path self;
    self.add("self/fd/");
    self.add(object);
    const long opened =
        sys::openat(caller.proc, self.text, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (opened >= 0) sys::close(static_cast<int>(opened));
    return opened == -ETXTBSY;
}

struct OpenFlags {
    explicit OpenFlags(uint64_t flags)
        : access(flags & O_ACCMODE),
          creates((flags & O_CREAT) != 0),
          exclusive((flags & O_EXCL) != 0),
          truncates((flags & O_TRUNC) != 0),
          nameless((flags & __O_TMPFILE) != 0),
          of_directory((flags & O_DIRECTORY) != 0),
          no_follow((flags & O_NOFOLLOW) != 0),
          of_path((flags & O_PATH) != 0) {}

    bool writes() const { return access == O_WRONLY || access == O_RDWR; }
    uint64_t access;
    bool creates;
    bool exclusive;
    bool truncates;
    bool nameless;
    bool of_directory;
    bool no_follow;
    bool of_path;
};

Refusal refusal_of_existing(const Caller& caller, const OpenFlags& flags, const walk::End& end) {
    const Seen seen = look(end.object);
    if (!seen.is_known || (flags.creates && (flags.exclusive || end.has_slash))) return {};
    if (flags.nameless && seen.is_directory())
        return mounts::is_read_only(end.object) ? refuse(caller, EROFS, end) : Refusal{};
    if (seen.type() != S_IFREG || flags.of_directory || end.has_slash) return {};
    if (!flags.truncates && !flags.writes()) return {};
    if (!mounts::is_read_only(end.object)) return judge_writable(caller, end.object, end);
    if (flags.truncates) return refuse(caller, EROFS, end);
    if (!permits(end.object, flags.access == O_RDWR ? to_read | to_write : to_write)) return {};
    return is_busy_program(caller, end.object) ? Refusal{} : refuse(caller, EROFS, end);
}

Refusal refusal_of_open(const Caller& caller, const OpenFlags& flags, const walk::End& end) {
    if (end.is_there()) return refusal_of_existing(caller, flags, end);
    if (!flags.creates || flags.nameless || flags.of_directory || end.has_slash) return {};
    return refusal_of_new_name(caller, end);
}

// A directory with names in it cannot be removed anyway (ENOTEMPTY). False if it cannot be listed.
bool holds_names(const Caller& caller, int directory) {
    Path self;
    self.add("self/fd/");
    self.add(directory);
    const long opened = sys::openat(caller.proc, self.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return false;
    alignas(8) char entries[1024];
    constexpr unsigned itself_and_parent = 2;
    unsigned names = 0;
    long got = 0;
    while (names <= itself_and_parent &&
           (got = sys::getdents64(static_cast<int>(opened), entries, sizeof entries)) > 0)
        for (long at = 0; at < got; ++names)
            at += reinterpret_cast<const proc::DirectoryEntry*>(entries + at)->size;
    sys::close(static_cast<int>(opened));
    return names > itself_and_parent;
}

Refusal refusal_of_removal(const Caller& caller, bool of_directory, const walk::End& end) {
    if (!end.is_named || !end.is_there()) return {};
    const Seen seen = look(end.object);
    if (!seen.is_known || seen.is_directory() != of_directory) return {};
    if (of_directory && holds_names(caller, end.object)) return {};
    if (mounts::is_read_only(end.parent)) return refuse(caller, EROFS, end);
    if (seen.status.mount == look(end.parent).status.mount) return {};
    return permits(end.parent, to_write | to_search) ? refuse(caller, EBUSY, end) : Refusal{};
}

// Renames from one mount to another fail anyway (EXDEV), and programs copy then.
Refusal refusal_of_rename(const Caller& caller, uint64_t flags, const walk::End& from,
                          const walk::End& to) {
    if (!from.is_named || !from.is_there() || !to.is_named) return {};
    if ((flags & RENAME_NOREPLACE) != 0 && to.is_there()) return {};
    if ((flags & RENAME_EXCHANGE) != 0 && !to.is_there()) return {};
    const Seen old_parent = look(from.parent);
    const Seen new_parent = look(to.parent);
    if (!old_parent.is_known || !new_parent.is_known) return {};
    if (old_parent.status.mount != new_parent.status.mount) return {};
    if (mounts::is_read_only(from.parent)) return refuse(caller, EROFS, from);
    const Seen old_one = look(from.object);
    const Seen new_one = look(to.object);
    const bool replaces = new_one.is_known && (flags & RENAME_EXCHANGE) == 0;
    if (replaces && new_one.is_directory() != old_one.is_directory()) return {};
    const bool same = new_one.is_known && new_one.status.inode == old_one.status.inode &&
                      new_one.status.mount == old_one.status.mount;
    if (same || !permits(from.parent, to_write | to_search) ||
        !permits(to.parent, to_write | to_search))
        return {};
    if (old_one.status.mount != old_parent.status.mount) return refuse(caller, EBUSY, from);
    if (new_one.is_known && new_one.status.mount != new_parent.status.mount)
        return refuse(caller, EBUSY, to);
    const Refusal of_old = judge_writable(caller, from.parent, from);
    return of_old.error != 0 ? of_old : judge_writable(caller, to.parent, to);
}

Refusal refusal_of_truncation(const Caller& caller, const walk::End& end) {
    if (!end.is_there() || look(end.object).type() != S_IFREG) return {};
    if (!permits(end.object, to_write)) return {};
    if (!mounts::is_read_only(end.object)) return judge_writable(caller, end.object, end);
    return refuse(caller, EROFS, end);
}

Refusal refusal_of_change(const Caller& caller, const walk::End& end) {
    const bool stopped = end.is_there() && mounts::is_read_only(end.object);
    return stopped ? refuse(caller, EROFS, end) : Refusal{};
}

LastLink last_link(const Asked& asked) {
    const OpenFlags flags(asked.flags);
    switch (asked.deed) {
        case Deed::Open: {
            const bool stays = flags.no_follow || (flags.creates && flags.exclusive);
            return stays ? LastLink::Taken : LastLink::Followed;
        }
        case Deed::Truncate: return LastLink::Followed;
        case Deed::Change:
            return (asked.flags & AT_SYMLINK_NOFOLLOW) != 0 ? LastLink::Taken : LastLink::Followed;
        case Deed::Link:
            return (asked.flags & AT_SYMLINK_FOLLOW) != 0 ? LastLink::Followed : LastLink::Taken;
        default: return LastLink::Taken;
    }
}

Refusal refusal_of_one_path(const Caller& caller, const Asked& asked, const walk::End& end) {
    const bool of_directory = asked.deed == Deed::MakeDirectory;
    switch (asked.deed) {
        case Deed::Open: return refusal_of_open(caller, OpenFlags(asked.flags), end);
        case Deed::Make:
        case Deed::MakeDirectory:
            if (!end.is_named || end.is_there() || (end.has_slash && !of_directory)) return {};
            return refusal_of_new_name(caller, end);
        case Deed::Remove:
            return refusal_of_removal(caller, (asked.flags & AT_REMOVEDIR) != 0, end);
        case Deed::Truncate: return refusal_of_truncation(caller, end);
        default: return refusal_of_change(caller, end);
    }
}

Refusal look_closer(const Caller& caller, const seccomp_data& call, const Asked& asked) {
    permissions = caller::Permissions(caller.proc, caller.pid);
    const walk::Walker walker{caller.proc, caller.pid, permissions};
    walk::End end;
    walk::go(walker, directory_of(call, asked.from), first_text, last_link(asked), end);
    if (end.error != 0) return {};
    if (asked.to.path < 0) return refusal_of_one_path(caller, asked, end);
    walk::End to;
    walk::go(walker, directory_of(call, asked.to), second_text, LastLink::Taken, to);
    if (to.error != 0) return {};
    if (asked.deed == Deed::Rename) return refusal_of_rename(caller, asked.flags, end, to);
    if (!end.is_there() || !to.is_named || to.is_there() || to.has_slash) return {};
    if (mounts::is_read_only(to.parent)) return refuse(caller, EROFS, to);
    const bool same_mount = look(end.object).status.mount == look(to.parent).status.mount;
    return same_mount ? refusal_of_new_name(caller, to) : Refusal{};  // else EXDEV
}

bool changes_nothing(const Asked& asked) {
    if (asked.deed != Deed::Open) return asked.from.path < 0;
    const OpenFlags flags(asked.flags);
    return flags.of_path || (!flags.writes() && !flags.creates && !flags.truncates);
}

}  // namespace

void forget_mounts() {
    for (KnownMount& one : known) one = {};
    home_copy::forget_mount();
}

Refusal refusal_of(const Caller& caller, const seccomp_data& call, const WatchedCall& watched) {
    const Asked asked = asked_for(call, watched);
    if (changes_nothing(asked)) return {};
    const int pid = caller.pid;
    if (!proc::read_string(pid, call.args[asked.from.path], first_text, sizeof first_text))
        return {};
    const bool has_two = asked.to.path >= 0;
    if (has_two &&
        !proc::read_string(pid, call.args[asked.to.path], second_text, sizeof second_text))
        return {};
    if (first_text[0] == 0 || (has_two && second_text[0] == 0)) return {};
    const bool first_is_free =
        asked.deed == Deed::Link ||
        is_plainly_free(caller, directory_of(call, asked.from), first_text, asked.deed);
    if (first_is_free && (!has_two || is_plainly_free(caller, directory_of(call, asked.to),
                                                      second_text, asked.deed)))
        return {};
    return look_closer(caller, call, asked);
}

}  // namespace foresight
