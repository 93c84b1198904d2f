#include "tree.h"

#include <asm/errno.h>
#include <linux/fcntl.h>
#include <linux/signal.h>

#include "path.h"
#include "proc.h"
#include "sys.h"

namespace {

using proc::Kin;

// A child is ours until we take it away, also when it is dead. Whoever is further down may be
// taken away by its own parent, and its number become a stranger's. Orphans become children of the
// root.
long signal_one(const Kin& kin, int root, int signal) {
    if (kin.parent == static_cast<int>(sys::getpid())) {
        const long result = sys::kill(kin.pid, signal);
        // A stopped process does not hear what it is asked.
        if (result == 0 && signal != SIGKILL) sys::kill(kin.pid, SIGCONT);
        return result;
    }
    const long process = sys::pidfd_open(kin.pid, 0);
    if (process < 0) return process;
    const auto fd = static_cast<int>(process);
    proc::Stat stat{};
    const bool is_kin =
        proc::read_stat(kin.pid, stat) && (stat.parent == kin.parent || stat.parent == root);
    const long result = is_kin ? sys::pidfd_send_signal(fd, signal) : -ESRCH;
    if (result == 0 && signal != SIGKILL) sys::pidfd_send_signal(fd, SIGCONT);
    sys::close(fd);
    return result;
}

void find_children(int root, tree::Spare spare) {
    proc::forget_kin();
    proc::add_children(root, 0);
    proc::spare_kin(spare);
}

// A child that has a session of its own made it, or one of its ancestors below us did, so everybody
// in its group is below us. The child is not reaped before the signal is sent, so the number of the
// group cannot become a stranger's. No member of a group that is killed can fork meanwhile.
void kill_group_of(int child, long own_session, long& last_group) {
    const long group = sys::getpgid(child);
    if (group <= 1 || group == child || group == last_group) return;
    if (sys::getsid(child) == own_session) return;
    last_group = group;
    sys::kill(static_cast<int>(-group), SIGKILL);
}

// Runnable, or held up by a disk, and not one tick of CPU time yet.
bool has_hardly_begun(int pid) {
    proc::Stat stat{};
    if (!proc::read_stat(pid, stat) || stat.own_ticks != 0) return false;
    return stat.state == 'R' || stat.state == 'D';
}

}  // namespace

namespace tree {

Sent signal_all(int signal, Spare spare) {
    return signal_below(static_cast<int>(sys::getpid()), signal, spare);
}

Sent signal_below(int root, int signal, Spare spare) {
    find_children(root, spare);
    Sent sent{};
    for (unsigned next = 0; next < proc::kin_count(); ++next) {
        const Kin kin = proc::kin(next);
        // Its children first: once it is dead they are the root's, and this list is behind us.
        proc::add_children(kin.pid, 0);
        const long result = signal_one(kin, root, signal);
        if (result == 0) ++sent.reached;
        if (result == -EPERM) ++sent.refused;
    }
    return sent;
}

void kill_children(Spare spare) {
    const long own_session = sys::getsid(0);
    long last_group = 0;
    constexpr uint64_t threads = 1;  // this process has no more
    proc::forget_kin();
    proc::add_children(static_cast<int>(sys::getpid()), threads);
    proc::spare_kin(spare);
    // The last first: the others may be dead, and wait to be reaped.
    for (unsigned left = proc::kin_count(); left > 0; --left) {
        const int child = proc::kin(left - 1).pid;
        sys::kill(child, SIGKILL);
        kill_group_of(child, own_session, last_group);
    }
}

void for_each_below(int root, Spare spare, void (*visit)(const Kin& kin)) {
    find_children(root, spare);
    for (unsigned next = 0; next < proc::kin_count(); ++next) {
        const Kin kin = proc::kin(next);
        proc::add_children(kin.pid, 0);
        visit(kin);
    }
}

bool any_has_hardly_begun() {
    find_children(static_cast<int>(sys::getpid()), spare_none);
    for (unsigned next = 0; next < proc::kin_count(); ++next) {
        const int pid = proc::kin(next).pid;
        proc::add_children(pid, 0);
        if (has_hardly_begun(pid)) return true;
    }
    return false;
}

bool any_child(Spare spare) {
    find_children(static_cast<int>(sys::getpid()), spare);
    return proc::kin_count() > 0;
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
    Path children;
    children.add("/task/");
    children.add(pid);
    children.add("/children");
    const int fd = proc::open(pid, children.text);
    if (fd < 0) return false;
    sys::close(fd);
    return true;
}

}  // namespace tree
