// Namespaces: with the rights this user has, or with those that a user namespace gives.
#include <arpa/inet.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "os/probe.h"

namespace husk::os::probe {
namespace {

constexpr const char* directly = "directly";
constexpr const char* through_user = "in a user namespace";
constexpr const char* more_rights =
    "user namespaces, or root with CAP_SYS_ADMIN; a container has to allow unshare and mount";

bool write_text(const char* path, const char* text) {
    const Fd file(::open(path, O_WRONLY | O_CLOEXEC));
    const auto size = static_cast<ssize_t>(std::strlen(text));
    return file && ::write(file.get(), text, static_cast<size_t>(size)) == size;
}

Outcome become_root_of_user_namespace() {
    char uid_map[32], gid_map[32];
    std::snprintf(uid_map, sizeof uid_map, "0 %u 1", ::geteuid());
    std::snprintf(gid_map, sizeof gid_map, "0 %u 1", ::getegid());
    if (::unshare(CLONE_NEWUSER) != 0) return failed_at("unshare");
    if (!write_text("/proc/self/setgroups", "deny")) return failed_at("write /proc/self/setgroups");
    if (!write_text("/proc/self/uid_map", uid_map)) return failed_at("write /proc/self/uid_map");
    if (!write_text("/proc/self/gid_map", gid_map)) return failed_at("write /proc/self/gid_map");
    return ::geteuid() == 0 ? well() : failed_at("the user was not mapped", 0);
}

Outcome enter(int namespaces) {
    if (::unshare(namespaces) == 0) return well(directly);
    if (errno != EPERM) return failed_at("unshare");
    const Outcome user = become_root_of_user_namespace();
    if (user.failed != nullptr) return user;
    return ::unshare(namespaces) == 0 ? well(through_user) : failed_at("unshare");
}

// Nothing that is mounted from here on is seen outside.
bool make_mounts_private() {
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// What pid 1 has to do: errno, or 0.
int mount_own_proc() {
    if (::getpid() != 1) return ESRCH;
    if (!make_mounts_private()) return errno;
    if (::mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) != 0)
        return errno;
    char self[16] = {};
    if (::readlink("/proc/self", self, sizeof self - 1) < 0) return errno;
    return std::strcmp(self, "1") == 0 ? 0 : ESRCH;
}

Outcome be_pid_1() {
    const Outcome entered = enter(CLONE_NEWPID | CLONE_NEWNS);
    if (entered.failed != nullptr) return entered;
    const pid_t init = fork_bound();
    if (init < 0) return failed_at("fork");
    if (init == 0) ::_exit(mount_own_proc());
    const int error = exit_code_of(init);
    if (error != 0) return failed_at("mount of a fresh /proc", error > 0 ? error : 0);
    return entered;
}

// A datagram to oneself over a loopback that is raised first.
Outcome have_a_network() {
    const Outcome entered = enter(CLONE_NEWNET);
    if (entered.failed != nullptr) return entered;
    const Fd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    if (!socket) return failed_at("socket");
    ifreq loopback{};
    std::strcpy(loopback.ifr_name, "lo");
    loopback.ifr_flags = IFF_UP | IFF_RUNNING;
    if (::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) != 0)
        return failed_at("raising the loopback");
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* address = reinterpret_cast<sockaddr*>(&here);
    socklen_t size = sizeof here;
    if (::bind(socket.get(), address, size) != 0) return failed_at("bind");
    if (::getsockname(socket.get(), address, &size) != 0) return failed_at("getsockname");
    if (::sendto(socket.get(), "x", 1, 0, address, size) != 1) return failed_at("sendto");
    char got = 0;
    if (::recv(socket.get(), &got, 1, MSG_DONTWAIT) != 1) return failed_at("recv");
    return entered;
}

// Two layers, of which only the upper one changes.
Outcome merge_layers() {
    const Outcome entered = enter(CLONE_NEWNS);
    if (entered.failed != nullptr) return entered;
    if (!make_mounts_private()) return failed_at("mount --make-rprivate /");
    if (::mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k") != 0)
        return failed_at("mount of a private /tmp");
    for (const char* layer : {"/tmp/below", "/tmp/upper", "/tmp/work", "/tmp/merged"})
        if (::mkdir(layer, S_IRWXU) != 0) return failed_at("mkdir");
    const bool direct = std::strcmp(entered.text, directly) == 0;
    const char* layers = direct ? "lowerdir=/tmp/below,upperdir=/tmp/upper,workdir=/tmp/work"
                                : "lowerdir=/tmp/below,upperdir=/tmp/upper,workdir=/tmp/work,"
                                  "userxattr";
    if (::mount("overlay", "/tmp/merged", "overlay", 0, layers) != 0)
        return failed_at("mount of an overlay");
    if (::mkdir("/tmp/merged/new", S_IRWXU) != 0) return failed_at("mkdir");
    return ::access("/tmp/upper/new", F_OK) == 0 ? entered : failed_at("a layer was passed by", 0);
}

// A private /tmp, and then everything read-only.
Outcome change_mounts() {
    const Outcome entered = enter(CLONE_NEWNS);
    if (entered.failed != nullptr) return entered;
    if (!make_mounts_private()) return failed_at("mount --make-rprivate /");
    if (::mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k") != 0)
        return failed_at("mount of a private /tmp");
    mount_attr read_only{};
    read_only.attr_set = MOUNT_ATTR_RDONLY;
    if (::mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &read_only, sizeof read_only) != 0)
        return failed_at("mount_setattr");
    for (const char* place : {"/", "/tmp"}) {
        struct statvfs info{};
        if (::statvfs(place, &info) != 0) return failed_at("statvfs");
        if ((info.f_flag & ST_RDONLY) == 0) return failed_at("a mount stayed writable", 0);
    }
    return entered;
}

std::string remedy_for_user_namespaces(const Result<std::string>& outcome) {
    if (!outcome && outcome.error().code == ENOSPC) return "sysctl user.max_user_namespaces=10000";
    // Root may be mapped only by one who may give capabilities to files.
    if (::geteuid() == 0) return "CAP_SETFCAP; root with CAP_SYS_ADMIN does not need it";
    return "sysctl kernel.unprivileged_userns_clone=1 (Debian) or "
           "kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu); a container has to allow "
           "unshare";
}

}  // namespace

Capability user_namespace() {
    const Result<std::string> outcome = in_child(become_root_of_user_namespace);
    return judged({.mechanism = "user namespace",
                   .needed_for = "all other namespaces, for who is not root",
                   .without = "only read-only, behind Landlock and seccomp",
                   .remedy = remedy_for_user_namespaces(outcome)},
                  outcome);
}

Capability pid_namespace() {
    return judged({.mechanism = "PID namespace",
                   .needed_for = "signals to other processes, and the sight of them",
                   .without = "others are seen; no closed modes before Landlock ABI 6",
                   .remedy = more_rights},
                  in_child(be_pid_1));
}

Capability network_namespace() {
    return judged({.mechanism = "network namespace",
                   .needed_for = "the network; a loopback of one's own",
                   .without = "no network at all, not even a loopback; no listed hosts",
                   .remedy = more_rights},
                  in_child(have_a_network));
}

Capability mount_namespace() {
    return judged({.mechanism = "mount namespace",
                   .needed_for = "metadata, protected paths; a private /tmp",
                   .without = "read-only without /tmp; no workspace unless accepted",
                   .remedy = more_rights},
                  in_child(change_mounts));
}

Capability overlay() {
    return judged({.mechanism = "overlay",
                   .needed_for = "HOME: the user's own, changed only for the session",
                   .without = "a HOME that is empty, with the user's .gitconfig",
                   .remedy = "a kernel with overlayfs (5.11 for ordinary users); " +
                             std::string(more_rights)},
                  in_child(merge_layers));
}

}  // namespace husk::os::probe
