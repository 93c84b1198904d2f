#include "home_copy.h"

#include <linux/fcntl.h>
#include <linux/stat.h>

#include "home_names.h"

namespace home_copy {
namespace {

constexpr unsigned longest_path = 4096;
constexpr unsigned most_parts = 256;
constexpr unsigned longest_name = 256;

// A mason has one home.
char home[longest_path];
unsigned home_length = 0;
uint64_t mount = 0;  // 0: nobody has looked yet, or there is none
bool is_mount_known = false;
uint64_t known_parts[most_parts];
unsigned part_count = 0;
char part[2 + 3 * longest_name];

bool begins_with(const char* text, const char* start, unsigned length) {
    for (unsigned i = 0; i < length; ++i)
        if (text[i] != start[i]) return false;
    return true;
}

// What stands behind HOME and its slash, or null.
const char* inside(const char* path) {
    if (home_length == 0 || !begins_with(path, home, home_length)) return nullptr;
    return path[home_length] == '/' ? path + home_length + 1 : nullptr;
}

unsigned name_length(const char* at) {
    unsigned length = 0;
    while (at[length] != 0 && at[length] != '/') ++length;
    return length;
}

bool is(const char* at, unsigned length, const char* name) {
    for (unsigned i = 0; i < length; ++i)
        if (name[i] != at[i] || name[i] == 0) return false;
    return name[length] == 0;
}

// Directories that many programs share: the name in them tells more.
unsigned part_length(const char* at) {
    const unsigned first = name_length(at);
    const bool is_shared = is(at, first, ".config") || is(at, first, ".cache");
    if (is(at, first, ".local") && at[first] != 0) {
        const unsigned second = first + 1 + name_length(at + first + 1);
        return at[second] == 0 ? second : second + 1 + name_length(at + second + 1);
    }
    return is_shared && at[first] != 0 ? first + 1 + name_length(at + first + 1) : first;
}

// FNV-1a: two parts with the same value would share a note.
uint64_t hash_of(const char* text, unsigned length) {
    uint64_t hash = 0xcbf29ce484222325;
    for (unsigned i = 0; i < length; ++i)
        hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3;
    return hash;
}

bool is_known(uint64_t hash) {
    for (unsigned i = 0; i < part_count; ++i)
        if (known_parts[i] == hash) return true;
    return part_count == most_parts;
}

}  // namespace

void keep(const char* path) {
    unsigned length = 0;
    for (; path[length] != 0 && length + 1 < sizeof home; ++length) home[length] = path[length];
    home_length = path[length] == 0 ? length : 0;
    home[home_length] = 0;
}

void forget_mount() { is_mount_known = false; }

bool holds(const sys::FileStatus& status) {
    if (home_length == 0) return false;
    if (!is_mount_known) {
        sys::FileStatus found{};
        const long seen = sys::statx(AT_FDCWD, home, AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &found);
        mount = seen == 0 ? found.mount : 0;
        is_mount_known = true;
    }
    return mount != 0 && status.mount == mount;
}

bool would_seem_saved(const char* path) {
    const char* at = inside(path);
    if (at == nullptr) return false;
    char name[longest_name] = {};
    const unsigned length = name_length(at);
    for (unsigned i = 0; i < length && i + 1 < sizeof name; ++i) name[i] = at[i];
    return name[0] != 0 && !husk::wire::is_copied_in_home(name);
}

bool is_known_part(const char* path) {
    const char* at = inside(path);
    if (at == nullptr || at[0] != '.') return false;
    for (const char* each = at; *each != 0; ++each)
        if (each[0] == '.' && each[1] == '.') return false;
    return is_known(hash_of(at, part_length(at)));
}

const char* take_new_part(const char* path) {
    const char* at = inside(path);
    if (at == nullptr) return nullptr;
    const unsigned length = part_length(at);
    const uint64_t hash = hash_of(at, length);
    if (length == 0 || length + 3 > sizeof part || is_known(hash)) return nullptr;
    known_parts[part_count++] = hash;
    part[0] = '~';
    part[1] = '/';
    for (unsigned i = 0; i < length; ++i) part[i + 2] = at[i];
    part[length + 2] = 0;
    return part;
}

}  // namespace home_copy
