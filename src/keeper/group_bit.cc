#include "group_bit.h"

#include <asm/errno.h>
#include <asm/ioctl.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "caller.h"
#include "caller_path.h"
#include "path.h"
#include "proc.h"
#include "sys.h"

namespace group_bit {
namespace {

constexpr int none = -1;
constexpr unsigned longest_path = 4096;
constexpr uint64_t all_bits = 07777;

// Which arguments of a call hold what.
struct Call {
    int x86_64;
    int aarch64;
    int directory;  // or the descriptor of the object itself
    int path;
    int mode;
    int flags;
};

constexpr Call calls[] = {
    {90, none, none, 0, 1, none},  // chmod
    {91, 52, 0, none, 1, none},    // fchmod
    {268, 53, 0, 1, 2, none},      // fchmodat
    {452, 452, 0, 1, 2, 3},        // fchmodat2
};

const Call* find(int number) {
    for (const Call& call : calls) {
#if defined(__aarch64__)
        if (call.aarch64 == number) return &call;
#else
        if (call.x86_64 == number) return &call;
#endif
    }
    return nullptr;
}

long open_directory(int proc, const Call& call, const seccomp_notif& asked) {
    static char path[longest_path];
    const auto* arguments = asked.data.args;
    const int pid = static_cast<int>(asked.pid);
    const int directory =
        call.directory == none ? AT_FDCWD : static_cast<int>(arguments[call.directory]);
    if (call.path == none) return caller_path::open_start(proc, {pid, directory});
    const uint64_t flags = call.flags == none ? 0 : arguments[call.flags];
    if ((flags & ~uint64_t{AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH}) != 0) return -EINVAL;
    if (!proc::read_string(pid, arguments[call.path], path, sizeof path)) return -EFAULT;
    if (path[0] == 0) {
        if ((flags & AT_EMPTY_PATH) == 0) return -ENOENT;
        return caller_path::open_start(proc, {pid, directory});
    }
    const int at_links = (flags & AT_SYMLINK_NOFOLLOW) != 0 ? O_NOFOLLOW : 0;
    return caller_path::open_directory(proc, {pid, directory}, path, at_links);
}

long change(int proc, int object, uint64_t mode) {
    Path path;
    path.add("self/fd/");
    path.add(object);
    return sys::fchmodat(proc, path.text,
                         static_cast<unsigned>(mode & all_bits & ~uint64_t{S_ISUID}));
}

// In a session of root another user changes only what is its own.
long change_as(int proc, int thread, int object, uint64_t mode) {
    if (sys::geteuid() != 0) return change(proc, object, mode);
    caller::Rights rights{};
    if (!caller::read_rights(proc, thread, rights)) return -ESRCH;
    if (rights.user == 0) return change(proc, object, mode);
    const caller::ActingAs acting(rights);
    return acting.succeeded() ? change(proc, object, mode) : -EPERM;
}

}  // namespace

bool is_asked_for(const seccomp_data& data) {
    const Call* call = find(data.nr);
    return call != nullptr && (data.args[call->mode] & S_ISGID) != 0;
}

long give(int proc, int listener, const seccomp_notif& asked) {
    const Call& call = *find(asked.data.nr);
    const long opened = open_directory(proc, call, asked);
    if (opened == -ENOTDIR) return -EPERM;
    if (opened < 0) return opened;
    const auto object = static_cast<int>(opened);
    // If the process has ended, its number may be that of another one, outside of the session.
    uint64_t id = asked.id;
    const bool still_waits = sys::ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
    const long result = still_waits ? change_as(proc, static_cast<int>(asked.pid), object,
                                                asked.data.args[call.mode])
                                    : -ESRCH;
    sys::close(object);
    return result;
}

}  // namespace group_bit
