#include "socket_owner.h"

#include <asm/statfs.h>
#include <linux/fcntl.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <stdint.h>

#include "path.h"
#include "proc.h"
#include "sys.h"
#include "usage.h"

namespace socket_owner {
namespace {

constexpr int af_netlink = 16;
constexpr int af_unix = 1;
constexpr int sock_raw = 3;
constexpr int msg_dontwait = 0x40;
constexpr uint32_t unbound_to_peer = 1U << 7 | 1U << 10;  // TCP_CLOSE, TCP_LISTEN

bool own_network = false;
uint32_t left_out = 0;  // the number of a socket

constexpr unsigned most_places = 64;
uint32_t trusted[most_places];  // their file systems
unsigned trusted_count = 0;
int diagnostics = -1;
uint32_t last_question = 0;
alignas(8) char answer[16384];
char text[16384];

// An object as the kernel's list of sockets knows it: the lower half of its number in its file
// system, and the number of that.
struct Object {
    uint32_t inode;
    uint32_t device;
};

constexpr uint32_t device_of(uint64_t major, uint64_t minor) {
    return static_cast<uint32_t>(major << 20 | minor);
}

bool find_outer_numbers(int object, Object& found) {
    constexpr unsigned empty_path = 0x1000;
    constexpr unsigned inode = 0x100;
    sys::FileStatus status{};
    if (sys::statx(object, "", empty_path, inode, &status) < 0) return false;
    found = {static_cast<uint32_t>(status.inode),
             device_of(status.device_major, status.device_minor)};
    return true;
}

struct Question {
    nlmsghdr header;
    unix_diag_req request;
};

bool ask() {
    if (diagnostics < 0)
        diagnostics =
            static_cast<int>(sys::socket(af_netlink, sock_raw | O_CLOEXEC, NETLINK_SOCK_DIAG));
    Question question{};
    question.header.nlmsg_len = sizeof question;
    question.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    question.header.nlmsg_seq = ++last_question;
    question.request.sdiag_family = af_unix;
    question.request.udiag_states = unbound_to_peer;
    question.request.udiag_show = UDIAG_SHOW_VFS;
    return diagnostics >= 0 && sys::send(diagnostics, &question, sizeof question, 0) >= 0;
}

// Whether one socket of the answer is bound to the object. `size` is that of its message.
bool is_bound_to(const char* message, unsigned size, const Object& object) {
    for (unsigned at = NLMSG_LENGTH(sizeof(unix_diag_msg)); at + sizeof(nlattr) <= size;) {
        const auto* attribute = reinterpret_cast<const nlattr*>(message + at);
        if (attribute->nla_len < sizeof *attribute || at + attribute->nla_len > size) return false;
        const auto* bound = reinterpret_cast<const unix_diag_vfs*>(attribute + 1);
        if (attribute->nla_type == UNIX_DIAG_VFS &&
            attribute->nla_len >= sizeof *attribute + sizeof *bound)
            return bound->udiag_vfs_ino == object.inode && bound->udiag_vfs_dev == object.device;
        at += NLA_ALIGN(attribute->nla_len);
    }
    return false;
}

// Calls `visit` with the number of each socket of this network namespace that is bound to the
// object, until one will do.
template <class Visit>
bool any_bound_to(const Object& object, const Visit& visit) {
    if (!ask()) return false;
    bool found = false;
    for (;;) {
        const long got = sys::recv(diagnostics, answer, sizeof answer, msg_dontwait);
        if (got < static_cast<long>(sizeof(nlmsghdr))) break;
        for (long at = 0; at + static_cast<long>(sizeof(nlmsghdr)) <= got;) {
            const auto* header = reinterpret_cast<const nlmsghdr*>(answer + at);
            const uint32_t size = header->nlmsg_len;
            if (size < sizeof *header || size > static_cast<uint64_t>(got - at)) break;
            const bool is_ours = header->nlmsg_seq == last_question;
            if (is_ours && header->nlmsg_type != SOCK_DIAG_BY_FAMILY) return found;  // the end
            const auto* one = reinterpret_cast<const unix_diag_msg*>(header + 1);
            if (is_ours && !found && one->udiag_ino != left_out &&
                is_bound_to(answer + at, size, object))
                found = visit(one->udiag_ino);
            at += NLMSG_ALIGN(size);
        }
    }
    sys::close_once(diagnostics);  // an answer that did not come to its end is not read later
    return found;
}

long read_file(int proc, const Path& path, int64_t from) {
    const long opened = sys::openat(proc, path.text, O_RDONLY | O_CLOEXEC);
    if (opened < 0) return opened;
    const long got = sys::pread(static_cast<int>(opened), text, sizeof text - 1, from);
    sys::close(static_cast<int>(opened));
    text[got > 0 ? got : 0] = 0;
    return got;
}

uint64_t take_number(const char*& at) {
    uint64_t number = 0;
    for (; *at >= '0' && *at <= '9'; ++at) number = number * 10 + static_cast<uint64_t>(*at - '0');
    return number;
}

// Likewise, from the table of mounts: "36 35 98:0 /mnt1 /mnt2 rw ...". 0 if there is none.
uint32_t device_in_table(int proc, uint64_t mount) {
    Path path;
    path.add("self/mountinfo");
    int64_t from = 0;
    while (read_file(proc, path, from) > 0) {
        const char* line = text;
        for (const char* at = line;;) {
            while (*at != 0 && *at != '\n') ++at;
            if (*at == 0) break;
            const char* field = line;
            const bool is_it = take_number(field) == mount && *field == ' ';
            take_number(++field);
            const uint64_t major = take_number(++field);
            if (is_it && *field == ':') return device_of(major, take_number(++field));
            line = ++at;
        }
        if (line == text) break;
        from += line - text;
    }
    return 0;
}

// The number of the file system of the mount that an object is in. 0 where the kernel does not
// tell.
uint32_t device_of_mount(int object) {
    constexpr unsigned empty_path = 0x1000;
    constexpr unsigned unique_mount = 0x4000;  // STATX_MNT_ID_UNIQUE
    sys::FileStatus status{};
    if (sys::statx(object, "", empty_path, unique_mount, &status) < 0 ||
        (status.mask & unique_mount) == 0)
        return 0;
    struct {
        uint32_t size;
        uint32_t spare;
        uint64_t mount;
        uint64_t wanted;
    } request{sizeof request, 0, 0, 1};  // STATMOUNT_SB_BASIC
    memcpy(&request.mount, status.rest, sizeof request.mount);
    struct {
        uint32_t size;
        uint32_t options;
        uint64_t mask;
        uint32_t major;
        uint32_t minor;
        char rest[488];
    } found{};
    if (sys::statmount(&request, &found, sizeof found) < 0) return 0;
    return device_of(found.major, found.minor);
}

// Two objects of one file system can have the same number if they are in different subvolumes. An
// overlay has no such parts: what is bound below it cannot be reached through it.
bool can_be_told_apart(int object, const Object& outer) {
    constexpr long overlay = 0x794c7630;
    struct statfs info{};
    if (sys::fstatfs(object, &info) == 0 && info.f_type == overlay) return true;
    for (unsigned i = 0; i < trusted_count; ++i)
        if (trusted[i] == outer.device) return true;
    return false;
}

// An overlay and a subvolume of Btrfs tell other numbers with statx than they have in the kernel.
bool find_inner_numbers(int proc, int object, Object& found) {
    Path path;
    path.add("self/fdinfo/");
    path.add(object);
    uint64_t inode = 0;
    uint64_t mount = 0;
    if (read_file(proc, path, 0) <= 0 || !usage::number_after(text, "ino", inode) ||
        !usage::number_after(text, "mnt_id", mount))
        return false;
    found = {static_cast<uint32_t>(inode), device_of_mount(object)};
    if (found.device == 0) found.device = device_in_table(proc, mount);
    return found.device != 0;
}

// The number in "socket:[123]", the name of a descriptor; 0 for others.
uint64_t socket_number(const char* name) {
    const char* prefix = "socket:[";
    while (*prefix != 0 && *prefix == *name) ++prefix, ++name;
    return *prefix == 0 ? take_number(name) : 0;
}

// Calls `visit` with each name in a directory that is a number, until one will do.
template <class Visit>
bool any_number_in(int directory, const char* path, const Visit& visit) {
    const long opened = sys::openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return false;
    const auto fd = static_cast<int>(opened);
    alignas(8) char entries[2048];
    bool found = false;
    for (long got = 0; !found && (got = sys::getdents64(fd, entries, sizeof entries)) > 0;) {
        for (long at = 0; at < got && !found;) {
            const auto* entry = reinterpret_cast<const proc::DirectoryEntry*>(entries + at);
            at += entry->size;
            if (entry->name[0] >= '0' && entry->name[0] <= '9') found = visit(fd, entry->name);
        }
    }
    sys::close(fd);
    return found;
}

// In the network namespace of the host, a socket is the session's if one of its processes has it
// open. No process can have got one from outside. /proc shows those of the session.
bool is_open_in_session(uint32_t number) {
    return any_number_in(AT_FDCWD, "/proc", [&](int processes, const char* process) {
        Path path;
        path.add(process);
        path.add("/fd");
        return any_number_in(processes, path.text, [&](int descriptors, const char* descriptor) {
            char name[64] = {};
            const long got = sys::readlinkat(descriptors, descriptor, name, sizeof name - 1);
            return got > 0 && socket_number(name) == number;
        });
    });
}

bool is_of_session(const Object& object) {
    return any_bound_to(object,
                        [](uint32_t number) { return own_network || is_open_in_session(number); });
}

}  // namespace

void have_own_network() { own_network = true; }
bool is_own_network() { return own_network; }

void leave_out(int socket) {
    Object numbers{};
    if (socket >= 0 && find_outer_numbers(socket, numbers)) left_out = numbers.inode;
}

void trust_place(int directory) {
    Object numbers{};
    if (trusted_count < most_places && find_outer_numbers(directory, numbers))
        trusted[trusted_count++] = numbers.device;
}

bool is_of_session(int proc, int object) {
    Object outer{};
    if (!find_outer_numbers(object, outer)) return false;
    if (is_of_session(outer)) return true;
    Object inner{};
    if (!can_be_told_apart(object, outer) || !find_inner_numbers(proc, object, inner)) return false;
    const bool differs = inner.inode != outer.inode || inner.device != outer.device;
    return differs && is_of_session(inner);
}

}  // namespace socket_owner
