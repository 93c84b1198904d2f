#include "sentry.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/inotify.h>
#include <linux/openat2.h>

#include "path.h"
#include "sound.h"
#include "sys.h"
#include "walls_wire.h"

namespace sentry {
namespace {

using husk::wire::ForbiddenName;
using keeper_clock::millisecond;
using keeper_clock::never;

// A command that makes such a name for a moment finds it as it left it.
constexpr uint64_t patience_ms = 300;
// Between the word of the witness and the deed, on a machine that is busy on purpose.
constexpr uint64_t recent_ms = 1000;
constexpr unsigned max_roots = 12;

// Who made a name.
enum Blame : uint32_t { Nobody, TheSession, SomebodyElse };

// Static: a mason has one of these.
alignas(8) char names[husk::wire::max_forbidden];
long names_size = 0;
alignas(8) char suspects[32 * 1024];  // while a new list is read
int keep = -1;
int roots[max_roots];
unsigned root_count = 0;

ForbiddenName* name_at(long offset) { return reinterpret_cast<ForbiddenName*>(names + offset); }
const char* text_of(const ForbiddenName& name, uint16_t offset) {
    return reinterpret_cast<const char*>(&name) + offset;
}

template <class Visit>
void for_each_name(const Visit& visit) {
    for (long at = 0; at < names_size; at += name_at(at)->size) visit(*name_at(at));
}

bool is_same(const char* one, const char* other) {
    while (*one != 0 && *one == *other) ++one, ++other;
    return *one == *other;
}

ForbiddenName* find_listed(const char* path) {
    ForbiddenName* found = nullptr;
    for_each_name([&](ForbiddenName& name) {
        if (is_same(text_of(name, sizeof name), path)) found = &name;
    });
    return found;
}

// How much of `suspects` it takes.
long set_suspects_aside() {
    long size = 0;
    for_each_name([&](const ForbiddenName& name) {
        if (name.suspect == 0 || size + name.size > static_cast<long>(sizeof suspects)) return;
        __builtin_memcpy(suspects + size, &name, name.size);
        size += name.size;
    });
    return size;
}

// Into the new list: what was there when that was made was not the user's.
void take_suspects_back(long size) {
    for (long at = 0; at < size;) {
        const auto& name = *reinterpret_cast<const ForbiddenName*>(suspects + at);
        at += name.size;
        if (ForbiddenName* listed = find_listed(text_of(name, sizeof name)); listed != nullptr) {
            listed->suspect = 1;
            continue;
        }
        const bool fits = names_size + name.size <= static_cast<long>(sizeof names);
        if (name.root >= root_count || !fits) continue;
        __builtin_memcpy(names + names_size, &name, name.size);
        names_size += name.size;
    }
}

const char* last_part(const char* path) {
    const char* last = path;
    for (; *path != 0; ++path)
        if (*path == '/') last = path + 1;
    return last;
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

// A name below a root, in the directory that it is in.
struct Place {
    int parent = -1;
    const char* name = nullptr;
};

// A way through a link is none: it could lead to something that was there before. Then it is the
// link that is in the place of the name: all that were there when this began are not in the list.
// Only a repository is not entered by git through a link.
Place find(const ForbiddenName& name) {
    constexpr unsigned no_follow = 0x100;  // AT_SYMLINK_NOFOLLOW
    constexpr unsigned format = 0170000;
    constexpr unsigned link = 0120000;
    static char way[4096];
    unsigned size = 0;
    for (const char* path = text_of(name, name.relative); size + 1 < sizeof way; ++path) {
        way[size++] = *path;
        if (*path == 0) break;
    }
    way[sizeof way - 1] = 0;
    const bool is_repository = has_part(last_part(way), ".git");
    int parent = roots[name.root];
    unsigned start = 0;
    open_how how{};
    how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const auto leave = [&] {
        if (parent != roots[name.root]) sys::close(parent);
    };
    for (unsigned end = 0; end < size; ++end) {
        if (way[end] != '/') continue;
        way[end] = 0;
        sys::FileStatus status{};
        const long found = sys::statx(parent, way + start, no_follow, 1, &status);
        if (found == 0 && (status.mode & format) == link && !is_repository)
            return {parent, way + start};
        const long inner = sys::openat2(parent, way + start, &how, sizeof how);
        leave();
        if (inner < 0) return {};
        parent = static_cast<int>(inner);
        start = end + 1;
    }
    return {parent, way + start};
}

Path new_name(const char* old) {
    Path name;
    name.add(old);
    name.add("-");
    name.add(static_cast<int>(keeper_clock::monotonic() / millisecond & 0x7fffffff));
    return name;
}

// Out of the workspace; where that is on another file system, aside.
bool move_away(int parent, const char* name) {
    constexpr unsigned no_replace = 1;  // RENAME_NOREPLACE
    const Path kept = new_name(name);
    const long moved = sys::renameat2(parent, name, keep, kept.text, no_replace);
    if (moved != -EXDEV) return moved == 0;
    Path aside;
    aside.add(".husk-reverted");
    aside.add(kept.text);
    return sys::renameat2(parent, name, parent, aside.text, no_replace) == 0;
}

// The witness is not told of links; and who makes one of these a link hides something. A hard one
// shows by its second name, or, when that is gone again, by being older than its name.
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
    const bool old = (status.mask & has_birth) != 0 && born + second < made_at;
    return status.links > 1 || old;
}

// Something of this name, or whatever: whether that is one that is listed, or on the way to one.
bool has_come(const char* part, bool by_session) {
    bool found = false;
    for_each_name([&](ForbiddenName& name) {
        if (part != nullptr && !has_part(text_of(name, name.relative), part)) return;
        if (name.blame != TheSession) name.blame = by_session ? TheSession : SomebodyElse;
        if (by_session) name.suspect = 1;
        found = true;
    });
    return found;
}

void note(int log, uint64_t when, const char* line) {
    char text[8192];
    unsigned length = 0;
    const auto add = [&](const char* part) {
        while (*part != 0 && length < sizeof text) text[length++] = *part++;
    };
    char digits[21] = {};
    unsigned first = sizeof digits - 1;
    for (uint64_t left = when; left > 0; left /= 10)
        digits[--first] = static_cast<char>('0' + left % 10);
    add("{\"ns\":");
    add(digits + first);
    add(line);
    sys::write(log, text, length);
}

}  // namespace

bool is_suspect(const char* path) {
    const ForbiddenName* name = find_listed(path);
    return name != nullptr && name->suspect != 0;
}

void Sentry::begin(const int* fds, unsigned count) {
    check_now();
    const long set_aside = set_suspects_aside();
    sys::close_once(events_);
    sys::close_once(keep);
    for (unsigned i = 0; i < root_count; ++i) sys::close(roots[i]);
    keep = fds[1];
    root_count = 0;
    for (unsigned i = 2; i < count; ++i) {
        if (root_count < max_roots) {
            roots[root_count++] = fds[i];
        } else {
            sys::close(fds[i]);
        }
    }
    names_size = sys::pread(fds[0], names, sizeof names, 0);
    sys::close(fds[0]);
    check_at_ = never;
    if (names_size < 0 ||
        !husk::wire::are_sound(names, static_cast<uint64_t>(names_size), root_count))
        names_size = 0;
    take_suspects_back(set_aside);
    if (names_size == 0) return;
    events_ = static_cast<int>(sys::inotify_init1(O_CLOEXEC | O_NONBLOCK));
    watch_directories();
}

// All that exist on the way to a name. The same one twice is one.
void Sentry::watch_directories() const {
    constexpr unsigned wanted = IN_CREATE | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW | IN_MASK_ADD;
    for_each_name([&](const ForbiddenName& name) {
        const char* path = text_of(name, sizeof name);
        char directory[4096];
        for (unsigned i = 0; path[i] != 0 && i + 1 < sizeof directory; ++i) {
            directory[i] = 0;
            const bool within = sizeof name + i + 1 >= name.relative;
            if (path[i] == '/' && within) sys::inotify_add_watch(events_, directory, wanted);
            directory[i] = path[i];
        }
    });
}

void Sentry::note_call() {
    if (events_ >= 0) last_call_ = keeper_clock::monotonic();
}

void Sentry::on_events() {
    const uint64_t now = keeper_clock::monotonic();
    const uint64_t since_call = now - last_call_;
    const bool by_session = since_call < recent_ms * millisecond;
    bool ours = false;
    alignas(inotify_event) char buffer[4096];
    for (;;) {
        const long got = sys::read(events_, buffer, sizeof buffer);
        if (got <= 0) break;
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
    for_each_name([&](ForbiddenName& name) {
        if (name.blame == Nobody) return;
        const uint32_t blame = name.blame;
        name.blame = Nobody;
        const Place place = find(name);
        if (place.name == nullptr) return;
        constexpr unsigned no_follow = 0x100;  // AT_SYMLINK_NOFOLLOW
        constexpr unsigned wanted = 0x805;     // STATX_TYPE | STATX_NLINK | STATX_BTIME
        sys::FileStatus status{};
        const bool there = sys::statx(place.parent, place.name, no_follow, wanted, &status) == 0;
        const bool guilty = blame == TheSession || (there && is_link(status, made_at_));
        name.suspect = guilty || !there ? 1 : 0;
        if (there && guilty && move_away(place.parent, place.name))
            note(log_, made_at_, text_of(name, name.line));
        if (place.parent != roots[name.root]) sys::close(place.parent);
    });
    watch_directories();
}

void Sentry::check_now() {
    if (events_ < 0) return;
    on_events();
    check();
}

}  // namespace sentry
