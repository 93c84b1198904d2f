// System calls that nobody inside has any business with. Each is made in a form that does nothing
// even where it is allowed; some only tell by their error that they got past the gate.
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sys/fanotify.h>
#include <sys/io.h>
#include <sys/klog.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <ctime>

#include "probe.h"

namespace probe {
namespace {

int ring(Arguments) {
    char parameters[120] = {};
    return past_gate(::syscall(SYS_io_uring_setup, 1, parameters), "io_uring_setup");
}

int add_key(Arguments) {
    const std::string text = mark();
    return past_gate(::syscall(SYS_add_key, "user", text.c_str(), "x", 1, KEY_SPEC_PROCESS_KEYRING),
                     "add_key");
}

int request_key(Arguments) {
    const std::string text = mark();
    return past_gate(::syscall(SYS_request_key, "user", text.c_str(), nullptr, 0), "request_key",
                     {ENOKEY});
}

int join_keyring(Arguments) {
    return past_gate(::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr), "keyctl");
}

int keyring_to_parent(Arguments) {
    return past_gate(::syscall(SYS_keyctl, KEYCTL_SESSION_TO_PARENT), "keyctl");
}

// From the keyring of the user, which all processes of the user share.
int find_key(Arguments a) {
    const long key =
        ::syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", a[0].c_str(), 0);
    if (key < 0) return refused("KEYCTL_SEARCH");
    char text[64] = {};
    if (::syscall(SYS_keyctl, KEYCTL_READ, key, text, sizeof text - 1) < 0)
        return refused("KEYCTL_READ");
    std::puts(text);
    return done;
}

// leave-key NAME TEXT: there for a hundred seconds.
int leave_key(Arguments a) {
    const long key = ::syscall(SYS_add_key, "user", a[0].c_str(), a[1].data(), a[1].size(),
                               KEY_SPEC_USER_KEYRING);
    if (key < 0) return refused("add_key");
    constexpr unsigned life = 100;
    return ::syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, life) == 0 ? done : refused("keyctl");
}

int bpf_map(Arguments) {
    bpf_attr attributes{};
    attributes.map_type = BPF_MAP_TYPE_ARRAY;
    attributes.key_size = 4;
    attributes.value_size = 4;
    attributes.max_entries = 1;
    return past_gate(::syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes), "bpf");
}

int performance(Arguments) {
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    return past_gate(::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0), "perf_event_open");
}

int fault_handler(Arguments) {
    return past_gate(::syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY), "userfaultfd");
}

int watch_files(Arguments) {
    return past_gate(::syscall(SYS_fanotify_init, FAN_CLASS_NOTIF | FAN_REPORT_FID, 0),
                     "fanotify_init");
}

int watch_all_files(Arguments) {
    return past_gate(::syscall(SYS_fanotify_init, FAN_CLASS_CONTENT, 0), "fanotify_init");
}

int load_module(Arguments) {
    return past_gate(::syscall(SYS_init_module, nullptr, 0, nullptr), "init_module",
                     {ENOEXEC, EFAULT});
}

int load_module_file(Arguments) {
    return past_gate(::syscall(SYS_finit_module, -1, "", 0), "finit_module", {EBADF, ENOEXEC});
}

int remove_module(Arguments) {
    return past_gate(::syscall(SYS_delete_module, "husk_no_such_module", O_NONBLOCK),
                     "delete_module", {ENOENT});
}

int load_kernel(Arguments) {
    return past_gate(::syscall(SYS_kexec_load, 0, 0, nullptr, ~0UL), "kexec_load", {EINVAL});
}

int restart(Arguments) {
    return past_gate(::syscall(SYS_reboot, 1, 2, 3, nullptr), "reboot", {EINVAL});
}

int swap_on(Arguments) {
    return past_gate(::syscall(SYS_swapon, "/nonexistent", 0), "swapon", {ENOENT});
}

int swap_off(Arguments) {
    return past_gate(::syscall(SYS_swapoff, "/nonexistent"), "swapoff", {ENOENT, EINVAL});
}

int account(Arguments) {
    return past_gate(::syscall(SYS_acct, "/nonexistent/file"), "acct", {ENOENT});
}

// The time zone of the kernel is zero wherever nobody asked for trouble.
int set_zone(Arguments) {
    const struct timezone zone{};
    return past_gate(::syscall(SYS_settimeofday, nullptr, &zone), "settimeofday");
}

int adjust_clock(Arguments) {
    timex change{};
    change.modes = ADJ_OFFSET_SINGLESHOT;
    return past_gate(::syscall(SYS_clock_adjtime, CLOCK_REALTIME, &change), "clock_adjtime");
}

int host_name(Arguments) {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return past_gate(::sethostname(name, std::strlen(name)), "sethostname");
}

int ports(Arguments) { return past_gate(::iopl(3), "iopl"); }

int port_range(Arguments) { return past_gate(::ioperm(0x80, 1, 1), "ioperm"); }

int segments(Arguments) {
    char table[16];
    return past_gate(::syscall(SYS_modify_ldt, 0, table, sizeof table), "modify_ldt");
}

int kernel_log(Arguments) {
    constexpr int size_of_buffer = 10;
    return past_gate(::klogctl(size_of_buffer, nullptr, 0), "syslog");
}

// Whether a process that is confined still has, or can take, a right over the machine.
int powers(Arguments) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    if (::syscall(SYS_capget, &header, data) != 0) return refused("capget");
    for (auto& half : data) half.effective = half.permitted;
    if (::syscall(SYS_capset, &header, data) != 0) return refused("capset");
    // CAP_SETUID and CAP_KILL end at the session: its walls and PID namespace hold for every user.
    const uint32_t strong = 1U << CAP_SYS_ADMIN | 1U << CAP_SYS_PTRACE | 1U << CAP_NET_ADMIN |
                            1U << CAP_SYS_MODULE | 1U << CAP_MKNOD | 1U << CAP_SYS_CHROOT |
                            1U << CAP_NET_RAW | 1U << CAP_DAC_READ_SEARCH | 1U << CAP_SETPCAP |
                            1U << CAP_SETFCAP | 1U << CAP_SYS_RESOURCE | 1U << CAP_SYS_RAWIO;
    errno = EPERM;
    return (data[0].effective & strong) != 0 ? reveal() : refused("capabilities");
}

int become_root(Arguments) { return ::setresuid(0, 0, 0) == 0 ? reveal() : refused("setresuid"); }

constexpr Verb verbs[] = {
    {"io-uring", ring},
    {"add-key", add_key},
    {"request-key", request_key},
    {"join-keyring", join_keyring},
    {"keyring-to-parent", keyring_to_parent},
    {"find-key", find_key},
    {"leave-key", leave_key},
    {"bpf", bpf_map},
    {"perf", performance},
    {"userfaultfd", fault_handler},
    {"fanotify", watch_files},
    {"fanotify-all", watch_all_files},
    {"init-module", load_module},
    {"finit-module", load_module_file},
    {"delete-module", remove_module},
    {"kexec", load_kernel},
    {"reboot", restart},
    {"swapon", swap_on},
    {"swapoff", swap_off},
    {"acct", account},
    {"settimeofday", set_zone},
    {"adjtime", adjust_clock},
    {"sethostname", host_name},
    {"iopl", ports},
    {"ioperm", port_range},
    {"modify-ldt", segments},
    {"syslog", kernel_log},
    {"powers", powers},
    {"become-root", become_root},
};

}  // namespace

std::span<const Verb> kernel_verbs() { return verbs; }

}  // namespace probe
