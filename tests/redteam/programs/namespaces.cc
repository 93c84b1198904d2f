// Namespaces and mounts: new ones, and changes to those of everybody.
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>

#include "probe.h"

namespace probe {
namespace {

int unshare_flags(Arguments a) {
    const auto flags = std::strtoull(a[0].c_str(), nullptr, 16);
    return past_gate(::syscall(SYS_unshare, flags), "unshare");
}

// The child says nothing: that it exists is enough.
int clone_flags(Arguments a) {
    const auto flags = std::strtoull(a[0].c_str(), nullptr, 16);
    const long pid = ::syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, 0);
    if (pid == 0) ::_exit(0);
    if (pid > 0) ::waitpid(static_cast<pid_t>(pid), nullptr, 0);
    return past_gate(pid, "clone");
}

int clone3_flags(Arguments a) {
    clone_args arguments{};
    arguments.flags = std::strtoull(a[0].c_str(), nullptr, 16);
    arguments.exit_signal = SIGCHLD;
    const long pid = ::syscall(SYS_clone3, &arguments, sizeof arguments);
    if (pid == 0) ::_exit(0);
    if (pid > 0) ::waitpid(static_cast<pid_t>(pid), nullptr, 0);
    return past_gate(pid, "clone3");
}

int fs_open(Arguments) { return past_gate(::syscall(SYS_fsopen, "tmpfs", 0), "fsopen"); }

int fs_pick(Arguments a) {
    return past_gate(::syscall(SYS_fspick, AT_FDCWD, a[0].c_str(), 0), "fspick");
}

int tree_copy(Arguments a) {
    constexpr unsigned clone_tree = 1;
    return past_gate(::syscall(SYS_open_tree, AT_FDCWD, a[0].c_str(), clone_tree), "open_tree");
}

int mount_flags(Arguments a) {
    constexpr uint64_t no_exec = 8;
    struct {
        uint64_t set, clear, propagation, userns;
    } attributes{no_exec, 0, 0, 0};
    const long result =
        ::syscall(SYS_mount_setattr, AT_FDCWD, a[0].c_str(), 0, &attributes, sizeof attributes);
    return result == 0 ? done : refused("mount_setattr");
}

int mount_tmpfs(Arguments a) {
    return ::mount("none", a[0].c_str(), "tmpfs", 0, "size=64k") == 0 ? done : refused("mount");
}

int bind_mount(Arguments a) {
    const bool bound = ::mount(a[0].c_str(), a[1].c_str(), nullptr, MS_BIND, nullptr) == 0;
    return bound ? done : refused("mount");
}

int unmount(Arguments a) {
    return ::umount2(a[0].c_str(), MNT_DETACH) == 0 ? done : refused("umount2");
}

int change_root(Arguments a) {
    const int here = ::open(from_environment("ENVELOPE").c_str(), O_RDONLY);
    if (::chroot(a[0].c_str()) != 0) return refused("chroot");
    char text[256];
    const ssize_t got = ::read(here, text, sizeof text);
    return got > 0 && std::fwrite(text, 1, static_cast<size_t>(got), stdout) > 0 ? done
                                                                                 : refused("read");
}

int pivot_root(Arguments) {
    return past_gate(::syscall(SYS_pivot_root, "/nonexistent", "/nonexistent"), "pivot_root",
                     {ENOENT});
}

constexpr Verb verbs[] = {
    {"unshare", unshare_flags},
    {"clone", clone_flags},
    {"clone3", clone3_flags},
    {"fsopen", fs_open},
    {"fspick", fs_pick},
    {"open-tree", tree_copy},
    {"mount-setattr", mount_flags},
    {"mount", mount_tmpfs},
    {"bind-mount", bind_mount},
    {"unmount", unmount},
    {"chroot", change_root},
    {"pivot-root", pivot_root},
};

}  // namespace

std::span<const Verb> namespace_verbs() { return verbs; }

}  // namespace probe
