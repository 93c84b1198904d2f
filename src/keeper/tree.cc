#include "tree.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/signal.h>

#include "path.h"
#include "sys.h"

namespace {

constexpr unsigned max_pids = 32768;
int found[max_pids];  // touched only as far as a tree reaches
unsigned found_count = 0;

int open_for_reading(const Path& path) {
    return static_cast<int>(sys::openat(AT_FDCWD, path.text, O_RDONLY | O_CLOEXEC));
}

void remember(int pid) {
    // What does not fit is met again in the next round, when these are dead.
    if (found_count < max_pids) found[found_count++] = pid;
}

// The file is "12 345 6 "; a number may be cut by the end of a read.
void read_children(const Path& path, tree::Spare spare) {
    const int fd = open_for_reading(path);
    if (fd < 0) return;
    char buffer[1024];
    int number = 0;
    for (long got = 0; (got = sys::read(fd, buffer, sizeof buffer)) > 0;) {
        for (long i = 0; i < got; ++i) {
            if (buffer[i] != ' ') {
                number = number * 10 + (buffer[i] - '0');
                continue;
            }
            if (!spare(number)) remember(number);
            number = 0;
        }
    }
    sys::close(fd);
}

struct DirectoryEntry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[1];
};

// A child belongs to the thread that made it, so every thread has its list.
void read_children_of_all_threads(int pid, tree::Spare spare) {
    Path tasks;
    tasks.add("/proc/");
    tasks.add(pid);
    tasks.add("/task");
    const int fd = open_for_reading(tasks);
    if (fd < 0) return;
    alignas(8) char buffer[2048];
    for (long got = 0; (got = sys::getdents64(fd, buffer, sizeof buffer)) > 0;) {
        for (long at = 0; at < got;) {
            const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer + at);
            at += entry->size;
            if (entry->name[0] < '0' || entry->name[0] > '9') continue;
            Path children = tasks;
            children.add("/");
            children.add(entry->name);
            children.add("/children");
            read_children(children, spare);
        }
    }
    sys::close(fd);
}

void find_children(tree::Spare spare) {
    found_count = 0;
    read_children_of_all_threads(static_cast<int>(sys::getpid()), spare);
}

// Runnable, and not one tick of CPU time yet.
bool waits_for_cpu(int pid) {
    Path path;
    path.add("/proc/");
    path.add(pid);
    path.add("/stat");
    const int fd = open_for_reading(path);
    if (fd < 0) return false;
    char text[512];
    const long got = sys::read(fd, text, sizeof text - 1);
    sys::close(fd);
    if (got <= 0) return false;
    text[got] = 0;
    // "pid (name) R ppid ...": the name may hold anything, so from its last parenthesis.
    const char* at = nullptr;
    for (const char* each = text; *each != 0; ++each)
        if (*each == ')') at = each;
    if (at == nullptr || at[1] != ' ' || at[2] != 'R') return false;
    constexpr int fields_to_user_time = 11;  // behind the state
    int spaces = 0;
    for (at += 3; *at != 0 && spaces < fields_to_user_time; ++at) spaces += *at == ' ' ? 1 : 0;
    return at[0] == '0' && at[1] == ' ' && at[2] == '0' && at[3] == ' ';
}

}  // namespace

namespace tree {

Sent signal_all(int signal, Spare spare) {
    find_children(spare);
    Sent sent{};
    for (unsigned next = 0; next < found_count; ++next) {
        const int pid = found[next];
        // Its children first: once it is dead they are ours, and this list is behind us.
        read_children_of_all_threads(pid, spare_none);
        const long result = sys::kill(pid, signal);
        if (result == 0) ++sent.reached;
        if (result == -EPERM) ++sent.refused;
        // A stopped process does not hear what it is asked.
        if (result == 0 && signal != SIGKILL) sys::kill(pid, SIGCONT);
    }
    return sent;
}

bool any_waits_for_cpu() {
    find_children(spare_none);
    for (unsigned next = 0; next < found_count; ++next) {
        read_children_of_all_threads(found[next], spare_none);
        if (waits_for_cpu(found[next])) return true;
    }
    return false;
}

bool any_child(Spare spare) {
    find_children(spare);
    return found_count > 0;
}

bool readable() {
    // In a /proc of other pid namespace our number is somebody else's, or nobody's.
    const long self = sys::openat(AT_FDCWD, "/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (self < 0) return false;
    char text[32] = {};
    sys::read(static_cast<int>(self), text, sizeof text - 1);
    sys::close(static_cast<int>(self));
    long shown = 0;
    for (const char* digit = text; *digit >= '0' && *digit <= '9'; ++digit)
        shown = shown * 10 + (*digit - '0');
    const auto pid = static_cast<int>(sys::getpid());
    if (shown != pid) return false;
    Path path;
    path.add("/proc/");
    path.add(pid);
    path.add("/task/");
    path.add(pid);
    path.add("/children");
    const int fd = open_for_reading(path);
    if (fd < 0) return false;
    sys::close(fd);
    return true;
}

}  // namespace tree
