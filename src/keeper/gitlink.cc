#include "gitlink.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>

#include "git_harmless.h"
#include "git_syntax.h"
#include "proc.h"
#include "sys.h"

namespace gitlink {
namespace {

using git_syntax::Next;
using git_syntax::Reader;
using git_syntax::Setting;
using husk::wire::NameOrder;

constexpr unsigned longest_path = 4096;
constexpr unsigned longest_settings = 1 << 16;

// Static: a mason has one thread.
char text[longest_path];
char settings[longest_settings];

unsigned length_of(const char* of) {
    unsigned length = 0;
    while (of[length] != 0) ++length;
    return length;
}

bool take(const char*& at, const char* word) {
    const char* from = at;
    while (*word != 0 && *from == *word) ++from, ++word;
    if (*word != 0) return false;
    at = from;
    return true;
}

long open_in(int directory, const char* path, int flags) {
    open_how how{};
    how.flags = static_cast<__u64>(flags | O_CLOEXEC | O_NOFOLLOW);
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH;
    return sys::openat2(directory, path, &how, sizeof how);
}

// The size of a regular file that has room, ended by a NUL; less than 0 if it is something else.
// Opening a file for reading has no effect on it, and waits for nobody.
long read_file(int directory, const char* name, char* into, long room) {
    sys::FileStatus status{};
    constexpr unsigned type = 1;  // STATX_TYPE
    const long found = sys::statx(directory, name, AT_SYMLINK_NOFOLLOW, type, &status);
    if (found < 0) return found;
    if ((status.mode & S_IFMT) != S_IFREG) return -EPERM;
    const long opened = open_in(directory, name, O_RDONLY | O_NONBLOCK);
    if (opened < 0) return opened;
    int file = static_cast<int>(opened);
    long size = sys::pread(file, into, static_cast<size_t>(room), 0);
    sys::close_once(file);
    if (size >= room) size = -EFBIG;
    if (size >= 0) into[size] = 0;
    return size;
}

// The path behind as many "../" as the .git lies deep, or null: ".git/modules/name".
const char* module_of(const NameOrder& order) {
    const char* at = text;
    if (!take(at, "gitdir: ")) return nullptr;
    const char* const below_root = sweep::text_of(order, order.relative);
    for (const char* c = below_root; *c != 0; ++c)
        if (*c == '/' && !take(at, "../")) return nullptr;
    const char* const module = at;
    if (!take(at, ".git/modules/") || *at == 0) return nullptr;
    for (const char* part = at; *part != 0; ++part) {
        const bool begins = part[-1] == '/';
        const bool is_dot = part[0] == '.' && (part[1] == '/' || part[1] == '.' || part[1] == 0);
        if (begins && (*part == '/' || is_dot)) return nullptr;
        if (static_cast<unsigned char>(*part) < ' ') return nullptr;
    }
    return module;
}

bool are_harmless(long size) {
    constexpr unsigned longest_key = 4096;
    static char section[longest_key];
    static char key[longest_key];
    static char shown[longest_key];
    static char value[longest_settings];
    Reader reader(settings, static_cast<uint64_t>(size), {section, longest_key});
    Setting one{.key = {key, longest_key},
                .shown = {shown, longest_key},
                .value = {value, longest_settings}};
    constexpr auto repository = git_harmless::Repository::OfACommand;
    Next next = reader.next(one);
    for (; next == Next::Setting; next = reader.next(one))
        if (git_harmless::judge(one, repository) != git_harmless::Verdict::Harmless) return false;
    return next == Next::End && reader.is_usual();
}

bool is_absent(int directory, const char* name) {
    sys::FileStatus status{};
    return sys::statx(directory, name, AT_SYMLINK_NOFOLLOW, 1, &status) == -ENOENT;
}

bool is_sample(const char* name) {
    constexpr unsigned suffix = sizeof ".sample" - 1;
    const unsigned length = length_of(name);
    return sweep::is_same(name, ".") || sweep::is_same(name, "..") ||
           (length > suffix && sweep::is_same(name + length - suffix, ".sample"));
}

bool has_no_hooks(int module) {
    const long opened = open_in(module, "hooks", O_RDONLY | O_DIRECTORY);
    if (opened < 0) return opened == -ENOENT;
    int hooks = static_cast<int>(opened);
    bool none = true;
    alignas(8) char buffer[2048];
    long got = 0;
    while (none && (got = sys::getdents64(hooks, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < got;) {
            const auto* entry = reinterpret_cast<const proc::DirectoryEntry*>(buffer + at);
            at += entry->size;
            none = none && is_sample(entry->name);
        }
    sys::close_once(hooks);
    return none && got == 0;
}

bool runs_nothing(int module) {
    const long size = read_file(module, "config", settings, longest_settings);
    return size >= 0 && are_harmless(size) && is_absent(module, "config.worktree") &&
           is_absent(module, "commondir") && has_no_hooks(module);
}

}  // namespace

bool is_harmless(const NameOrder& order, const sweep::Place& place) {
    if (!sweep::is_same(place.name, ".git")) return false;
    const long size = read_file(place.parent, ".git", text, longest_path);
    if (size <= 0 || length_of(text) != static_cast<unsigned>(size)) return false;
    if (text[size - 1] == '\n') text[size - 1] = 0;
    const char* const path = module_of(order);
    if (path == nullptr) return false;
    const long opened = open_in(sweep::root_of(order), path, O_PATH | O_DIRECTORY);
    if (opened < 0) return false;
    int module = static_cast<int>(opened);
    const bool harmless = runs_nothing(module);
    sys::close_once(module);
    return harmless;
}

}  // namespace gitlink
