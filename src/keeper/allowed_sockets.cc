#include "allowed_sockets.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/openat2.h>

#include "mounts.h"
#include "sys.h"

namespace allowed_sockets {
namespace {

constexpr unsigned longest_name = 256;
constexpr unsigned longest_path = 1024;

struct Held {
    int directory;
    int socket;  // -1: whatever has the name
    char name[longest_name];
    char path[longest_path];
};

Held held[husk::wire::max_sockets];
unsigned held_count = 0;

bool copy(const char* text, char* into, unsigned room) {
    unsigned length = 0;
    for (; text[length] != 0; ++length) {
        if (length + 1 >= room) return false;
        into[length] = text[length];
    }
    into[length] = 0;
    return true;
}

bool is_same_text(const char* one, const char* other) {
    while (*one != 0 && *one == *other) ++one, ++other;
    return *one == *other;
}

bool is_same_object(int one, int other) {
    constexpr unsigned empty_path = 0x1000;
    constexpr unsigned inode = 0x100;
    sys::FileStatus first{};
    sys::FileStatus second{};
    return sys::statx(one, "", empty_path, inode, &first) == 0 &&
           sys::statx(other, "", empty_path, inode, &second) == 0 && first.inode == second.inode &&
           first.device_major == second.device_major && first.device_minor == second.device_minor;
}

long open_name(int directory, const char* name) {
    open_how how{};
    how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_BENEATH;
    return sys::openat2(directory, name, &how, sizeof how);
}

template <class Change>
void for_each_descriptor(const Change& change) {
    for (unsigned i = 0; i < held_count; ++i) {
        if (held[i].directory >= 0) held[i].directory = change(held[i].directory);
        if (held[i].socket >= 0) held[i].socket = change(held[i].socket);
    }
}

}  // namespace

long hold(const Wanted& wanted, const husk::wire::Identity& directory) {
    if (held_count == husk::wire::max_sockets) return -EMFILE;
    Held& one = held[held_count];
    if (!copy(wanted.name, one.name, sizeof one.name) ||
        !copy(wanted.path, one.path, sizeof one.path))
        return -ENAMETOOLONG;
    const long opened = mounts::open(wanted.directory, directory);
    if (opened < 0) return opened;
    one.directory = static_cast<int>(opened);
    one.socket = -1;
    if (wanted.only_this) {
        const long socket = open_name(one.directory, one.name);
        sys::close_once(one.directory);
        if (socket < 0) return socket;
        one.socket = static_cast<int>(socket);
    }
    ++held_count;
    return 0;
}

void lift(int above) {
    for_each_descriptor(
        [&](int fd) { return static_cast<int>(sys::fcntl(fd, F_DUPFD_CLOEXEC, above)); });
}

int settle(int first) {
    for_each_descriptor(
        [&](int fd) { return static_cast<int>(sys::dup3(fd, first++, O_CLOEXEC)); });
    return first;
}

void let_go() {
    for_each_descriptor([](int fd) {
        sys::close(fd);
        return -1;
    });
    held_count = 0;
}

int open(const char* path, int object, const char* name) {
    for (unsigned i = 0; i < held_count; ++i) {
        const Held& one = held[i];
        const bool has_path = is_same_text(one.path, path) || is_same_text(one.path, name);
        if (object < 0 && !has_path) continue;
        long socket = one.socket >= 0 ? sys::fcntl(one.socket, F_DUPFD_CLOEXEC, 0)
                                      : open_name(one.directory, one.name);
        if (socket < 0) continue;
        // A session can put other objects where it can write, so there the path is not enough.
        const bool is_it =
            is_same_object(object, static_cast<int>(socket)) || (has_path && one.socket < 0);
        if (is_it) return static_cast<int>(socket);
        sys::close(static_cast<int>(socket));
    }
    return -1;
}

}  // namespace allowed_sockets
