#include "connects.h"

#include <asm/errno.h>
#include <asm/ioctl.h>
#include <asm/socket.h>
#include <linux/fcntl.h>
#include <linux/openat2.h>
#include <linux/signal.h>

#include "allowed_sockets.h"
#include "caller.h"
#include "clock.h"
#include "connecting.h"
#include "datagrams.h"
#include "forwarding.h"
#include "path.h"
#include "proc.h"
#include "socket_owner.h"
#include "sys.h"
#include "waiting_thread.h"

namespace connects {
namespace {

using connecting::af_unix;
using connecting::Forwarding;
using connecting::go_on_forwarding;
using connecting::has_to_wait;
using connecting::look_for_listener;
using connecting::Socket;
using keeper_clock::millisecond;
using keeper_clock::never;

constexpr int af_inet = 2;
constexpr int af_inet6 = 10;
constexpr int sock_stream = 1;
constexpr unsigned path_at = 2;         // in a sockaddr_un
constexpr unsigned longest_unix = 110;  // a sockaddr_un
constexpr unsigned longest_name = 4096;
constexpr unsigned empty_path = 0x1000;
constexpr unsigned format = 0170000;
constexpr unsigned is_socket = 0140000;

struct Numbers {
    int x86_64;
    int aarch64;
};
constexpr Numbers connect_call{42, 203};

struct Waiting {
    bool is_taken;
    Forwarding forwarding;
    forwarding::Preamble preamble;
    uint64_t id;
    int thread;
    Socket socket;
    caller::Rights rights;
    Address address;
    int object;
    uint64_t deadline;
    uint64_t try_again;  // a full backlog cannot be polled
    uint64_t pause;
    uint64_t look_again;  // whether the caller is still there
    waiting_thread::Interruption interruption;
};

Waiting all_waiting[most_waiting];
unsigned waiting_count = 0;

int option_of(int fd, int option) {
    int value = -1;
    unsigned size = sizeof value;
    return sys::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

// Where a relative path begins.
long open_working_directory(int proc, int thread) {
    Path path;
    path.add(thread);
    path.add("/cwd");
    return sys::openat(proc, path.text, O_PATH | O_CLOEXEC);
}

// The links below /proc that lead to objects are not followed: those of this process would lead to
// what the session must not reach.
long open_object(int proc, int thread, const caller::Rights& rights, const char* path) {
    int start = AT_FDCWD;
    if (path[0] != '/') {
        const long opened = open_working_directory(proc, thread);
        if (opened < 0) return -EACCES;
        start = static_cast<int>(opened);
    }
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_NO_MAGICLINKS;
    long object = -EACCES;
    {
        const caller::ActingAs caller(rights);
        if (caller.succeeded()) object = sys::openat2(start, path, &how, sizeof how);
    }
    if (start != AT_FDCWD) sys::close(start);
    return object;
}

bool is_socket_file(int object) {
    constexpr unsigned type = 1;
    sys::FileStatus status{};
    return sys::statx(object, "", empty_path, type, &status) == 0 &&
           (status.mode & format) == is_socket;
}

void copy_path(const Address& address, char (&path)[longest_unix]) {
    unsigned length = 0;
    for (; path_at + length < address.size; ++length)
        path[length] = static_cast<char>(address.bytes[path_at + length]);
    path[length] = 0;
}

// If the caller has ended, its number may be that of another process, outside of the session.
bool still_waits(int listener, uint64_t id) {
    return sys::ioctl(listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) == 0;
}

// As the session knows it, without links.
const char* name_of(int proc, int object) {
    static char name[longest_name];
    Path link;
    link.add("self/fd/");
    link.add(object);
    const long got = sys::readlinkat(proc, link.text, name, sizeof name - 1);
    name[got > 0 ? got : 0] = 0;
    return name;
}

// Puts an outside socket that the session may use in the place of what is at the path.
bool is_allowed(int proc, const char* path, Made& made) {
    const char* name = made.object < 0 ? "" : name_of(proc, made.object);
    const int socket = allowed_sockets::open(path, made.object, name);
    if (socket < 0) return false;
    sys::close_once(made.object);
    made.object = socket;
    return true;
}

// What stands for a datagram socket sends nothing (datagrams.h). If nobody could hear it, the error
// is the usual one.
void stop_datagrams(const caller::Rights& rights, Made& made) {
    if (made.object < 0) return;
    made.result =
        is_socket_file(made.object) ? look_for_listener(rights, made.object) : -ECONNREFUSED;
    if (made.result == -ECONNREFUSED || made.result == -EACCES) return;
    made.result = -EPERM;
    made.stopped = Stopped::Datagrams;
}

// Leaves the object in `made` when the call may have to wait, or was stopped.
void connect_by_path(int proc, const seccomp_notif& asked, const Socket& socket,
                     const caller::Rights& rights, Made& made) {
    char path[longest_unix];
    copy_path(made.address, path);
    const long opened = open_object(proc, static_cast<int>(asked.pid), rights, path);
    made.result = opened;
    made.object = opened < 0 ? -1 : static_cast<int>(opened);
    if (datagrams::is_stand_in(socket.fd)) return stop_datagrams(rights, made);
    const bool is_own = made.object >= 0 && is_socket_file(made.object) &&
                        socket_owner::is_of_session(proc, made.object);
    if (!is_own && (opened >= 0 || opened == -ENOENT) && is_allowed(proc, path, made)) {
        made.result = is_socket_file(made.object)
                          ? connecting::to_object(socket, rights, made.object)
                          : -ECONNREFUSED;
    } else if (made.object < 0) {
        return;
    } else if (is_own) {
        made.result = connecting::to_object(socket, rights, made.object);
    } else if (!is_socket_file(made.object)) {
        made.result = -ECONNREFUSED;
    } else {
        made.result = look_for_listener(rights, made.object);
        if (made.result == -ECONNREFUSED || made.result == -EACCES) return;  // as without walls
        made.result = -EACCES;
        made.stopped = Stopped::UnixSocket;
    }
}

// In a network namespace of the session all abstract names are its own.
void connect_by_abstract_name(const Socket& socket, const caller::Rights& rights, Made& made) {
    if (socket_owner::is_own_network()) {
        made.result = connecting::to_address(socket, rights, made.address);
        return;
    }
    made.result = -EPERM;
    made.stopped = Stopped::AbstractSocket;
}

// The first steps are made at once: the proxy is on the loopback.
void forward(const Socket& socket, const caller::Rights& rights, Made& made) {
    memcpy(made.preamble.kind, socket.blocks() ? forwarding::blocking : forwarding::nonblocking,
           sizeof made.preamble.kind);
    Forwarding stage = Forwarding::New;
    made.result = go_on_forwarding(socket, rights, made.address, made.preamble, stage);
    // A connection to the loopback is made when the first call returns.
    if (made.result == -EINPROGRESS && stage == Forwarding::Connecting)
        made.result = go_on_forwarding(socket, rights, made.address, made.preamble, stage);
    made.told = stage == Forwarding::Told;
}

uint16_t port_of(int fd) {
    unsigned char address[28] = {};
    unsigned size = sizeof address;
    if (sys::getsockname(fd, address, &size) != 0) return 0;
    return static_cast<uint16_t>(address[2] << 8 | address[3]);
}

bool has_no_way_out(long result) {
    return result == -ENETUNREACH || result == -EHOSTUNREACH || result == -EADDRNOTAVAIL;
}

void connect_socket(int proc, const seccomp_notif& asked, const Socket& socket,
                    const caller::Rights& rights, Made& made) {
    const bool is_unix = socket.domain == af_unix;
    if (is_unix && made.address.size > longest_unix) {
        made.result = -EINVAL;
    } else if (made.is_forwarded) {
        forward(socket, rights, made);
    } else if (!is_unix || made.address.family() != af_unix || made.address.size <= path_at) {
        made.result = connecting::to_address(socket, rights, made.address);
        const bool is_internet = socket.domain == af_inet || socket.domain == af_inet6;
        if (is_internet && made.result == 0) made.port = port_of(socket.fd);
        // Only streams are forwarded to names; libraries also try datagrams, without need.
        if (is_internet && socket_owner::is_own_network() && has_no_way_out(made.result) &&
            !forwarding::is_stand_in(made.address.bytes, made.address.size))
            made.stopped = Stopped::NoWayOut;
    } else if (made.address.bytes[path_at] == 0) {
        connect_by_abstract_name(socket, rights, made);
    } else {
        connect_by_path(proc, asked, socket, rights, made);
    }
}

// Until when a blocking connect waits; never, if SO_SNDTIMEO is not set.
uint64_t deadline_of(int fd) {
    struct {
        int64_t seconds;
        int64_t microseconds;
    } time{};
    unsigned size = sizeof time;
    if (sys::getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO_OLD, &time, &size) != 0) return never;
    const uint64_t all = static_cast<uint64_t>(time.seconds) * 1'000'000'000 +
                         static_cast<uint64_t>(time.microseconds) * 1000;
    return all == 0 ? never : keeper_clock::monotonic() + all;
}

constexpr uint64_t first_pause = 1 * millisecond;
constexpr uint64_t longest_pause = 20 * millisecond;
constexpr uint64_t between_looks = 20 * millisecond;

// The caller goes on waiting, and the mason does not. False if there is no place left.
bool put_aside(const seccomp_notif& asked, const Socket& socket, const caller::Rights& rights,
               Made& made) {
    for (Waiting& one : all_waiting) {
        if (one.is_taken) continue;
        const uint64_t now = keeper_clock::monotonic();
        one.is_taken = true;
        one.forwarding = !made.is_forwarded ? Forwarding::No
                         : made.told        ? Forwarding::Told
                                            : Forwarding::Connecting;
        one.preamble = made.preamble;
        one.id = asked.id;
        one.thread = static_cast<int>(asked.pid);
        one.socket = socket;
        one.rights = rights;
        one.address = made.address;
        one.object = made.object;
        one.deadline = deadline_of(socket.fd);
        one.pause = first_pause;
        one.try_again = socket.domain == af_unix ? now + first_pause : never;
        one.look_again = now + between_looks;
        one.interruption = {};
        made.object = -1;
        made.waits = true;
        ++waiting_count;
        return true;
    }
    return false;
}

long try_again(Waiting& one) {
    if (one.forwarding != Forwarding::No)
        return go_on_forwarding(one.socket, one.rights, one.address, one.preamble, one.forwarding);
    return one.object >= 0 ? connecting::to_object(one.socket, one.rights, one.object)
                           : connecting::to_address(one.socket, one.rights, one.address);
}

void answer(int listener, Waiting& one, long result) {
    seccomp_notif_resp response{};
    response.id = one.id;
    response.error = static_cast<int>(result);
    sys::ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}

void leave(Waiting& one) {
    caller::let_go(one.socket.fd);
    sys::close_once(one.object);
    one.is_taken = false;
    --waiting_count;
}

// True when the caller need not wait any longer.
bool go_on_with(int proc, int listener, Waiting& one, uint64_t now, bool can_be_polled) {
    if (now >= one.look_again) {
        one.look_again = now + between_looks;
        if (!still_waits(listener, one.id)) return true;
        const long interrupted =
            waiting_thread::interruption(proc, one.thread, one.deadline != never, one.interruption);
        if (interrupted != 0) {
            answer(listener, one, interrupted);
            return true;
        }
    }
    const bool is_time = now >= one.try_again || now >= one.deadline;
    if (!can_be_polled && !is_time) return false;
    const long result = try_again(one);
    const bool waits = has_to_wait(one.socket, result, one.forwarding != Forwarding::No);
    if (waits && now < one.deadline) {
        one.pause = one.pause * 2 < longest_pause ? one.pause * 2 : longest_pause;
        if (one.try_again != never) one.try_again = now + one.pause;
        return false;
    }
    // A second connect says EISCONN where the first one has succeeded since.
    answer(listener, one, result == -EISCONN ? 0 : result == -EALREADY ? -EINPROGRESS : result);
    return true;
}

// What the next step of it waits for.
short awaited(const Waiting& one) { return one.forwarding == Forwarding::Told ? POLLIN : POLLOUT; }

bool is_ready(const Waiting& waiting) {
    pollfd one{waiting.socket.fd, awaited(waiting), 0};
    const sys::Time at_once{};
    return sys::ppoll(&one, 1, &at_once) > 0;
}

long read_address(const seccomp_notif& asked, Address& address) {
    const auto size = static_cast<uint32_t>(asked.data.args[2]);
    if (size > sizeof address.bytes) return -EINVAL;
    address.size = size;
    if (size == 0) return 0;
    const long got =
        sys::process_vm_read(static_cast<int>(asked.pid), asked.data.args[1], address.bytes, size);
    return got == static_cast<long>(size) ? 0 : -EFAULT;
}

bool read_caller_rights(int proc, int thread, caller::Rights& rights) {
    const auto self = static_cast<uint32_t>(sys::geteuid());
    if (self == 0) return caller::read_rights(proc, thread, rights);
    // There are no other users in such a session, and nobody has capabilities.
    rights = {};
    rights.user = self;
    rights.group = static_cast<uint32_t>(sys::getegid());
    return true;
}

void make_with(int proc, int listener, const seccomp_notif& asked, int fd, Made& made) {
    const Socket socket{fd, option_of(fd, SO_DOMAIN), option_of(fd, SO_TYPE),
                        static_cast<int>(sys::fcntl(fd, F_GETFL, 0))};
    caller::Rights rights;
    if (socket.domain < 0) {
        made.result = -ENOTSOCK;
    } else if (!read_caller_rights(proc, static_cast<int>(asked.pid), rights) ||
               !still_waits(listener, asked.id)) {
        made.result = -EACCES;
    } else {
        made.is_datagram = socket.type == connecting::sock_dgram;
        made.is_forwarded =
            socket.type == sock_stream && socket.domain != af_unix &&
            forwarding::redirect(made.address.bytes, made.address.size, made.preamble);
        connect_socket(proc, asked, socket, rights, made);
        if (has_to_wait(socket, made.result, made.is_forwarded) &&
            put_aside(asked, socket, rights, made))
            return;
    }
    caller::let_go(fd);
}

}  // namespace

// Addresses of unix sockets are paths from the working directory.
void begin(int proc) {
    forget();
    sys::fchdir(proc);
    constexpr int unblock = 1;
    constexpr uint64_t alarm = 1U << (SIGALRM - 1);
    sys::rt_sigaction_interrupt(SIGALRM);
    sys::rt_sigprocmask(unblock, &alarm);
}

bool is_asked_for(const seccomp_data& data) {
#if defined(__aarch64__)
    return data.nr == connect_call.aarch64;
#else
    return data.nr == connect_call.x86_64;
#endif
}

Made make(int proc, int listener, const seccomp_notif& asked) {
    Made made;
    const long taken =
        caller::take_descriptor(static_cast<int>(asked.pid), static_cast<int>(asked.data.args[0]));
    made.result = taken;
    if (taken < 0) return made;
    made.result = read_address(asked, made.address);
    if (made.result < 0)
        caller::let_go(static_cast<int>(taken));
    else
        make_with(proc, listener, asked, static_cast<int>(taken), made);
    return made;
}

unsigned waiting(pollfd* fds) {
    unsigned count = 0;
    if (waiting_count == 0) return 0;
    for (const Waiting& one : all_waiting)
        if (one.is_taken && one.try_again == never) fds[count++] = {one.socket.fd, awaited(one), 0};
    return count;
}

uint64_t next() {
    uint64_t earliest = never;
    if (waiting_count == 0) return never;
    for (const Waiting& one : all_waiting) {
        if (!one.is_taken) continue;
        const uint64_t attempt = keeper_clock::earlier(one.deadline, one.try_again);
        earliest = keeper_clock::earlier(earliest, keeper_clock::earlier(attempt, one.look_again));
    }
    return earliest;
}

void go_on(int proc, int listener) {
    if (waiting_count == 0) return;
    const uint64_t now = keeper_clock::monotonic();
    for (Waiting& one : all_waiting) {
        if (!one.is_taken) continue;
        const bool can_be_polled = one.try_again == never && is_ready(one);
        if (go_on_with(proc, listener, one, now, can_be_polled)) leave(one);
    }
}

void forget() {
    for (Waiting& one : all_waiting)
        if (one.is_taken) leave(one);
}

}  // namespace connects
