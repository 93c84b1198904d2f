#include "process_files.h"

#include <asm/errno.h>
#include <asm/ioctl.h>
#include <linux/fcntl.h>
#include <stdint.h>

#include "caller.h"
#include "path.h"
#include "proc.h"
#include "sys.h"
#include "usage.h"

namespace process_files {
namespace {

int root = -1;
char status_text[4096];

constexpr const char* files[] = {
    "comm", "coredump_filter", "oom_score_adj", "oom_adj", "timerslack_ns", "clear_refs", "mem"};

bool is_same(const char* one, const char* other) {
    while (*one != 0 && *one == *other) ++one, ++other;
    return *one == *other;
}

bool skip(const char*& at, const char* text) {
    const char* from = at;
    while (*text != 0)
        if (*from++ != *text++) return false;
    at = from;
    return true;
}

bool skip_number(const char*& at, int& number) {
    const char* begin = at;
    number = 0;
    for (; *at >= '0' && *at <= '9' && at - begin < 9; ++at) number = number * 10 + (*at - '0');
    return at != begin;
}

// "/proc/PID/FILE" or "/proc/PID/task/TID/FILE".
struct Name {
    bool is_one = false;
    int owner = 0;
    const char* below = nullptr;  // behind "/proc/"
    const char* file = nullptr;
};

Name parse(const char* path) {
    Name name;
    const char* at = path;
    int thread = 0;
    if (!skip(at, "/proc/")) return name;
    name.below = at;
    if (!skip_number(at, name.owner) || !skip(at, "/")) return name;
    if (skip(at, "task/") && (!skip_number(at, thread) || !skip(at, "/"))) return name;
    name.file = at;
    for (const char* one : files) name.is_one = name.is_one || is_same(at, one);
    return name;
}

bool read_status(int proc, int process) {
    return ::proc::read_text_in(proc, process, "/status", status_text, sizeof status_text);
}

uint64_t last_number_of(const char* line) {
    const char* at = usage::line_after(status_text, line);
    return at == nullptr ? 0 : usage::last_number(at);
}

// The memory of another process may be written by its tracer only: the kernel has then found, also
// in the rules of Landlock, that the one may trace the other.
bool may_write_memory(const Asker& asker, int caller, int owner) {
    if (!read_status(asker.proc, caller)) return false;
    const uint64_t thread = last_number_of("NSpid");
    const uint64_t process = last_number_of("NStgid");
    if (!read_status(root, owner)) return false;
    const uint64_t tracer = last_number_of("TracerPid");
    return last_number_of("Tgid") == process || (tracer != 0 && tracer == thread) ||
           (tracer != 0 && tracer == process);
}

// Keepers and the nursery cannot be traced, so that the link to their program cannot be read.
bool may_trace(int owner) {
    Path path;
    path.add(owner);
    path.add("/exe");
    char program[1];
    return sys::readlinkat(root, path.text, program, sizeof program) > 0;
}

long open_as(const caller::Rights& rights, const Name& name, unsigned long flags) {
    const caller::ActingAs acting(rights);
    if (!acting.succeeded() || !may_trace(name.owner)) return -EACCES;
    const auto how = static_cast<int>(flags & (O_ACCMODE | O_APPEND | O_NONBLOCK));
    return sys::openat(root, name.below, how | O_NOFOLLOW | O_CLOEXEC);
}

}  // namespace

void begin(int given) {
    sys::close_once(root);
    root = given;
}

bool is_one(const char* path) { return root >= 0 && parse(path).is_one; }

long give(const Asker& asker, const seccomp_notif& asked, const char* path, unsigned long flags) {
    const Name name = parse(path);
    const auto thread = static_cast<int>(asked.pid);
    caller::Rights rights{};
    if (!caller::read_rights(asker.proc, thread, rights)) return -EACCES;
    uint64_t id = asked.id;
    if (sys::ioctl(asker.listener, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) != 0) return -ESRCH;
    if (is_same(name.file, "mem") && !may_write_memory(asker, thread, name.owner)) return -EROFS;
    const long opened = open_as(rights, name, flags);
    if (opened < 0) return opened;
    seccomp_notif_addfd add{};
    add.id = asked.id;
    add.srcfd = static_cast<uint32_t>(opened);
    add.newfd_flags = static_cast<uint32_t>(flags & O_CLOEXEC);
    const long number = sys::ioctl(asker.listener, SECCOMP_IOCTL_NOTIF_ADDFD, &add);
    sys::close(static_cast<int>(opened));
    return number;
}

}  // namespace process_files
