#include "git_config.h"

#include <asm/errno.h>
#include <asm/ioctl.h>
#include <linux/falloc.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "caller.h"
#include "caller_path.h"
#include "git_harmless.h"
#include "git_syntax.h"
#include "path.h"
#include "proc.h"
#include "sys.h"

namespace git_config {
namespace {

using git_harmless::Repository;
using git_harmless::Verdict;
using git_syntax::Next;
using git_syntax::Reader;
using git_syntax::Setting;
using git_syntax::Text;
using husk::wire::NameOrder;
using husk::wire::WatchedCall;

constexpr long longest_file = 1 << 20;
constexpr unsigned longest_path = 4096;
constexpr unsigned longest_key = 4096;
constexpr unsigned longest_value = 1 << 16;
constexpr unsigned longest_shown = 256;

// Static: a mason has one thread, and a small stack would have to hold them.
alignas(8) char list[1 << 17];
sweep::Orders files{list, 0};
char old_path[longest_path];
char new_path[longest_path];
char resolved[2 * longest_path];
char old_text[longest_file];
char new_text[longest_file];
char shown[longest_shown];

unsigned length_of(const char* text) {
    unsigned length = 0;
    while (text[length] != 0) ++length;
    return length;
}

// Where the last name of a path begins.
unsigned last_name(const char* path) {
    unsigned last = 0;
    for (unsigned i = 0; path[i] != 0; ++i)
        if (path[i] == '/') last = i + 1;
    return last;
}

bool is_name_of_settings(const char* name) {
    return sweep::is_same(name, "config") || sweep::is_same(name, "config.worktree");
}

// Whether the old path is the new one with ".lock" behind it, as git has it.
bool is_lock_of_the_other() {
    unsigned i = 0;
    while (new_path[i] != 0 && new_path[i] == old_path[i]) ++i;
    return new_path[i] == 0 && sweep::is_same(old_path + i, ".lock");
}

// The number of the directory that the paths begin at; false if each has its own.
bool find_start(const WatchedCall& watched, const seccomp_data& data, int& directory) {
    directory = AT_FDCWD;
    if (watched.first.directory < 0 || new_path[0] == '/') return true;
    directory = static_cast<int>(data.args[watched.second.directory]);
    return directory == static_cast<int>(data.args[watched.first.directory]);
}

bool has_flags(const seccomp_data& data) {
#if defined(__aarch64__)
    constexpr int renameat2 = 276;
#else
    constexpr int renameat2 = 316;
#endif
    return data.nr == renameat2 && static_cast<uint32_t>(data.args[4]) != 0;
}

long status_of(int object, sys::FileStatus& status) {
    constexpr unsigned wanted = 0x1 | 0x4 | 0x100 | 0x200;  // type, links, inode, size
    return sys::statx(object, "", AT_EMPTY_PATH, wanted, &status);
}

bool is_same_object(int one, int other) {
    sys::FileStatus first{};
    sys::FileStatus second{};
    return status_of(one, first) == 0 && status_of(other, second) == 0 &&
           first.inode == second.inode && first.device_major == second.device_major &&
           first.device_minor == second.device_minor;
}

// The order about the file of settings `name` in the directory, as the session knows it.
const NameOrder* find(int proc, int directory, const char* name) {
    Path link;
    link.add("self/fd/");
    link.add(directory);
    const long got = sys::readlinkat(proc, link.text, resolved, longest_path - 1);
    if (got <= 0) return nullptr;
    auto length = static_cast<unsigned>(got);
    if (length > 1) resolved[length++] = '/';
    for (; *name != 0; ++name) resolved[length++] = *name;
    resolved[length] = 0;
    const NameOrder* found = nullptr;
    files.for_each([&](const NameOrder& order) {
        if (sweep::is_same(sweep::path_of(order), resolved)) found = &order;
    });
    return found;
}

// A regular file, opened so that nobody can make us wait: -EPERM if it is something else.
long open_file(int proc, int directory, const char* name, int flags, sys::FileStatus& status) {
    const long opened = sys::openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (opened < 0) return opened;
    int object = static_cast<int>(opened);
    long result = status_of(object, status);
    if (result == 0 && (status.mode & S_IFMT) != S_IFREG) result = -EPERM;
    Path self;
    self.add("self/fd/");
    self.add(object);
    if (result == 0) result = sys::openat(proc, self.text, flags | O_NONBLOCK | O_CLOEXEC);
    sys::close_once(object);
    return result;
}

// The whole file; -EFBIG if it is too long.
long read_all(int fd, char* into) {
    long size = 0;
    while (size < longest_file) {
        const long got =
            sys::pread(fd, into + size, static_cast<size_t>(longest_file - size), size);
        if (got < 0) return got;
        if (got == 0) return size;
        size += got;
    }
    return -EFBIG;
}

// Goes through a file from one setting to the next that is not known to be harmless.
struct Walk {
    Reader reader;
    Setting setting;
    Next last = Next::Setting;
    Verdict verdict = Verdict::Harmless;

    void go_on() {
        do {
            last = reader.next(setting);
            if (last == Next::Setting)
                verdict = git_harmless::judge(setting, Repository::OfTheUser);
        } while (last == Next::Setting && verdict == Verdict::Harmless);
    }
    bool is_same_as(const Walk& other) const {
        return is_same(setting.key, other.setting.key) &&
               setting.has_value == other.setting.has_value &&
               is_same(setting.value, other.setting.value);
    }
};

enum Memory : unsigned { Before, Now, Search };
constexpr unsigned memories = Search + 1;

Walk walk_through(const char* text, long size, Memory memory) {
    static char sections[memories][longest_key];
    static char keys[memories][longest_key];
    static char shown_keys[memories][longest_key];
    static char values[memories][longest_value];
    return {Reader(text, static_cast<uint64_t>(size), {sections[memory], longest_key}),
            {.key = {keys[memory], longest_key},
             .shown = {shown_keys[memory], longest_key},
             .value = {values[memory], longest_value}}};
}

void show(const Text& key) {
    unsigned length = 0;
    for (; length < key.length && length < longest_shown - 1; ++length)
        shown[length] = key.text[length];
    shown[length] = 0;
}

bool was_there(const Walk& wanted, long size) {
    Walk all = walk_through(old_text, size, Search);
    for (all.go_on(); all.last == Next::Setting; all.go_on())
        if (all.is_same_as(wanted)) return true;
    return false;
}

Refusal refusal_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::Harmless: return Refusal::None;
        case Verdict::NotKnown: return Refusal::Program;
        case Verdict::NoPlainAddress: return Refusal::Address;
        case Verdict::NoKnownUpdate: return Refusal::Update;
    }
    return Refusal::Program;
}

// All settings that are not known to be harmless have to be in the new file as they are in the old
// one, and in the same order: the last one counts.
Refusal compare(long old_size, long new_size) {
    Walk before = walk_through(old_text, old_size, Before);
    Walk now = walk_through(new_text, new_size, Now);
    if (now.reader.has_odd_letters()) return Refusal::Form;
    for (;;) {
        before.go_on();
        now.go_on();
        if (before.last == Next::Mistake || now.last == Next::Mistake) return Refusal::Form;
        if (before.last == Next::End && now.last == Next::End) return Refusal::None;
        const bool are_both = before.last == now.last;
        if (are_both && now.is_same_as(before)) continue;
        const bool is_new = now.last == Next::Setting && !was_there(now, old_size);
        // One that is there more often than before has been added as well.
        const bool is_added = is_new || before.last == Next::End;
        show(is_added ? now.setting.shown : before.setting.shown);
        return is_added ? refusal_of(now.verdict) : Refusal::Removed;
    }
}

// In one write, so that a reader outside sees the old text or the new one. Where the new one is
// shorter, empty lines stand behind it until the file is cut.
long write_over(int fd, long old_size, long new_size) {
    constexpr long not_supported = -95;  // EOPNOTSUPP
    const long more = new_size - old_size;
    const long reserved = more > 0 ? sys::fallocate(fd, FALLOC_FL_KEEP_SIZE, old_size, more) : 0;
    if (reserved < 0 && reserved != not_supported && reserved != -ENOSYS) return reserved;
    long size = new_size;
    while (size < old_size) new_text[size++] = '\n';
    const long wrote = sys::pwrite(fd, new_text, static_cast<size_t>(size), 0);
    const bool is_whole = wrote == size;
    if (!is_whole) sys::pwrite(fd, old_text, static_cast<size_t>(old_size), 0);
    const long kept = is_whole ? new_size : old_size;
    const long cut = kept < size ? sys::ftruncate(fd, kept) : 0;
    if (!is_whole) return wrote < 0 ? wrote : -ENOSPC;
    return cut;
}

// `name` with ".lock" behind it.
const char* lock_of(const char* name) {
    static char lock[32];
    unsigned length = 0;
    const char* const parts[] = {name, ".lock"};
    for (const char* part : parts)
        for (; *part != 0; ++part) lock[length++] = *part;
    lock[length] = 0;
    return lock;
}

Answer refuse(Refusal refusal) { return {true, -EPERM, refusal, shown, resolved}; }

Answer fail(long error) {
    const bool is_kind = error == -EPERM || error == -ELOOP;
    if (is_kind) return refuse(Refusal::Kind);
    if (error == -EFBIG) return refuse(Refusal::Form);
    return {true, error};
}

// Takes what git has written from the directory, and writes it into the file of settings there.
Answer take_over(int proc, int directory, const char* name) {
    sys::FileStatus status{};
    const long source = open_file(proc, directory, lock_of(name), O_RDONLY, status);
    if (source < 0) return fail(source);
    int lock = static_cast<int>(source);
    const long new_size = read_all(lock, new_text);
    sys::close_once(lock);
    if (new_size < 0) return fail(new_size);
    const long target = open_file(proc, directory, name, O_RDWR, status);
    if (target == -ENOENT) return refuse(Refusal::Absent);
    if (target < 0) return fail(target);
    int config = static_cast<int>(target);
    const long old_size = status.links == 1 ? read_all(config, old_text) : -EPERM;
    const Refusal refusal = old_size < 0 ? Refusal::None : compare(old_size, new_size);
    long result = old_size < 0 ? old_size : 0;
    if (result == 0 && refusal == Refusal::None) result = write_over(config, old_size, new_size);
    sys::close_once(config);
    if (refusal != Refusal::None) return refuse(refusal);
    if (result < 0) return fail(result);
    sys::unlinkat(directory, lock_of(name), 0);
    return {true, 0};
}

// The directory is looked up from a root that was opened before there was any command, and has to
// be the one that the caller means.
Answer take_over(int proc, int meant, const NameOrder& order, const char* name) {
    sweep::Place place = sweep::look(order);
    const bool is_reached = place.error == 0 && place.parent >= 0 &&
                            sweep::is_same(place.name, name) && is_same_object(place.parent, meant);
    const Answer answer = is_reached ? take_over(proc, place.parent, name) : Answer{};
    sweep::leave(order, place);
    return answer;
}

}  // namespace

void keep(const sweep::Orders& orders) {
    files.size = 0;
    orders.for_each([](const NameOrder& order) {
        const bool fits = files.size + order.size <= static_cast<long>(sizeof list);
        if ((order.flags & husk::wire::GitSettings) == 0 || !fits) return;
        memcpy(list + files.size, &order, order.size);
        files.size += order.size;
    });
}

const char* word(Refusal refusal) {
    switch (refusal) {
        case Refusal::None: return "";
        case Refusal::Program: return "program";
        case Refusal::Address: return "address";
        case Refusal::Update: return "update";
        case Refusal::Removed: return "removed";
        case Refusal::Form: return "form";
        case Refusal::Kind: return "kind";
        case Refusal::Absent: return "absent";
    }
    return "";
}

Answer rename(const Asker& asker, const seccomp_notif& asked, const WatchedCall& watched) {
    shown[0] = 0;
    const auto pid = static_cast<int>(asked.pid);
    const auto* arguments = asked.data.args;
    if (files.size == 0 || has_flags(asked.data)) return {};
    if (!proc::read_string(pid, arguments[watched.second.path], new_path, longest_path)) return {};
    const unsigned last = last_name(new_path);
    if (!is_name_of_settings(new_path + last)) return {};
    if (!proc::read_string(pid, arguments[watched.first.path], old_path, longest_path)) return {};
    int directory = AT_FDCWD;
    if (!is_lock_of_the_other() || !find_start(watched, asked.data, directory)) return {};
    static char name[32];
    memcpy(name, new_path + last, length_of(new_path + last) + 1);
    if (last == 0) new_path[0] = '.';
    new_path[last == 0 ? 1 : last] = 0;
    const long opened = caller_path::open_directory(asker.proc, {pid, directory}, new_path, 0);
    if (opened < 0) return {};
    int meant = static_cast<int>(opened);
    // If the process has ended, its number may be that of another one, outside of the session.
    uint64_t id = asked.id;
    const bool still_waits = sys::ioctl(asker.listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
    constexpr int write_and_search = 3;  // W_OK | X_OK
    const bool may_rename =
        still_waits && caller::Permissions(asker.proc, pid).allow(meant, write_and_search);
    const NameOrder* order = may_rename ? find(asker.proc, meant, name) : nullptr;
    const Answer answer = order == nullptr ? Answer{} : take_over(asker.proc, meant, *order, name);
    sys::close_once(meant);
    return answer;
}

}  // namespace git_config
