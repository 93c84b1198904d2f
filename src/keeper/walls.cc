#include "walls.h"

#include <asm/errno.h>
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <linux/signal.h>

#include "allowed_sockets.h"
#include "foresight.h"
#include "forwarding.h"
#include "guard.h"
#include "home_copy.h"
#include "mason.h"
#include "message.h"
#include "mounts.h"
#include "network.h"
#include "scratch.h"
#include "sentry.h"
#include "socket_owner.h"
#include "sockets.h"
#include "sound.h"
#include "sweep.h"
#include "sys.h"
#include "walls_wire.h"
#include "wire.h"
#include "witness.h"

namespace {

using husk::wire::WallOp;
using husk::wire::WallStep;

struct Description {
    const char* begin = nullptr;
    const husk::wire::Walls* header = nullptr;

    const WallStep& step(uint32_t index) const { return husk::wire::step_of(begin, index); }
    const char* text(const WallStep& step, unsigned which) const {
        const uint32_t at = step.texts[which];
        return at == husk::wire::no_text ? nullptr : begin + at;
    }
};

int trees[husk::wire::max_trees];
int ruleset = -1;
int way_out[walls::max_ways_out];
unsigned ways_out = 0;
int mason_socket = -1;
sentry::Sources for_mason;

size_t length(const char* text) {
    size_t size = 0;
    while (text[size] != 0) ++size;
    return size;
}

// Only from the root: a mason stands in a directory of the host.
long write_file(const char* path, const char* text) {
    open_how how{};
    how.flags = O_WRONLY | O_CLOEXEC;
    how.resolve = RESOLVE_NO_MAGICLINKS;
    if (path[0] != '/') return -EINVAL;
    const long fd = sys::openat2(AT_FDCWD, path, &how, sizeof how);
    if (fd < 0) return fd;
    const long wrote = sys::write(static_cast<int>(fd), text, length(text));
    sys::close(static_cast<int>(fd));
    return wrote < 0 ? wrote : 0;
}

long clone_tree(const WallStep& step, const char* path) {
    if (step.a >= husk::wire::max_trees) return -EINVAL;
    const long opened = mounts::open(path, step.identity);
    if (opened < 0) return opened;
    int object = static_cast<int>(opened);
    const auto below = [&](bool taken) {
        return taken ? mounts::Below::Taken : mounts::Below::Left;
    };
    const bool with_below = (step.b & husk::wire::WithMountsBelow) != 0;
    const bool on_top = (step.b & husk::wire::AttributesOnTop) != 0;
    const long tree = mounts::clone(object, below(with_below));
    sys::close_once(object);
    if (tree < 0) return tree;
    trees[step.a] = static_cast<int>(tree);
    return mounts::set_attributes(trees[step.a], step.c, below(with_below && !on_top));
}

// The descriptor stays open: it is the root of the mount wherever that is attached.
long place_tree(const WallStep& step, const char* path) {
    if (step.a >= husk::wire::max_trees) return -EINVAL;
    return mounts::attach(trees[step.a], path);
}

long mount_new(const WallStep& step, const char* type, const char* target, const char* options) {
    const long made = mounts::make(type, options, step.a);
    if (made < 0) return made;
    int tree = static_cast<int>(made);
    const long attached = mounts::attach(tree, target);
    sys::close_once(tree);
    return attached;
}

long bind(const WallStep& step, const char* path, const char* target) {
    const long opened = mounts::open(path, step.identity);
    if (opened < 0) return opened;
    int object = static_cast<int>(opened);
    const long cloned = mounts::clone(object, mounts::Below::Left);
    sys::close_once(object);
    if (cloned < 0) return cloned;
    int tree = static_cast<int>(cloned);
    long result = mounts::set_attributes(tree, step.a, mounts::Below::Left);
    if (result >= 0) result = mounts::attach(tree, target);
    sys::close_once(tree);
    return result;
}

// Directories, files, links and whiteouts, in a directory that is found without links.
long make_entry(const WallStep& step, const char* path, const char* target) {
    const mounts::Slot slot = mounts::parent(path);
    if (slot.directory < 0) return slot.directory;
    int directory = static_cast<int>(slot.directory);
    const auto mode = static_cast<unsigned>(step.a);
    long result = -ENOSYS;
    if (step.op == WallOp::MakeDirectory) {
        result = sys::mkdirat(directory, slot.name, mode);
        if (result == -EEXIST) result = 0;
    } else if (step.op == WallOp::MakeFile) {
        result = sys::open_new(directory, slot.name, O_WRONLY | O_CLOEXEC, mode);
        if (result >= 0) result = sys::close(static_cast<int>(result));
    } else if (step.op == WallOp::MakeLink) {
        result = sys::symlinkat(target, directory, slot.name);
    } else if (step.op == WallOp::MakeWhiteout) {
        result = sys::mknodat(directory, slot.name, 0020000, 0);
    }
    sys::close_once(directory);
    return result;
}

// The parent keeps nothing that would hold up the end of the session. Without a namespace the
// child, no pid 1, has to ask for orphans.
long become_init(uint64_t stays) {
    const bool own_namespace = stays == husk::wire::AsMason;
    int ends[2];
    constexpr int unix_family = 1;
    constexpr int seqpacket = 5;
    const long paired = sys::socketpair(unix_family, seqpacket | O_CLOEXEC, 0, ends);
    if (paired < 0) return paired;
    // In the view of today, which knows the processes by the numbers that the mason will see.
    const long processes = sys::openat(AT_FDCWD, "/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (processes < 0) return processes;
    auto proc = static_cast<int>(processes);
    const long made = own_namespace ? sys::unshare(CLONE_NEWPID) : 0;
    if (made < 0) return made;
    const long pid = sys::fork();
    if (pid > 0) {
        socket_owner::leave_out(for_mason.control);
        constexpr int first_free = 256;  // above all that is put in order here
        int kept[] = {ends[0], proc, for_mason.log, for_mason.settled};
        for (int& fd : kept)
            if (fd >= 0) fd = static_cast<int>(sys::fcntl(fd, F_DUPFD_CLOEXEC, first_free));
        sweep::lift(first_free);
        allowed_sockets::lift(first_free);
        for (int i = 0; i < 4; ++i)
            if (kept[i] >= 0) sys::dup3(kept[i], 3 + i, O_CLOEXEC);
        const bool is_witness = for_mason.log >= 0;
        const int behind = allowed_sockets::settle(sweep::settle(is_witness ? 7 : 5, 4));
        sys::close_range(static_cast<unsigned>(behind), ~0U, 0);
        if (stays == husk::wire::AsGuard) guard::watch(static_cast<int>(pid), 3, mason::lay_bricks);
        const sentry::Sources sources{is_witness ? 5 : -1, is_witness ? 6 : -1, for_mason.seats};
        mason::live(3, {sources.log, 4, static_cast<int>(pid)}, sources);
    }
    sys::close(ends[0]);
    sys::close_once(proc);
    sys::close_once(for_mason.log);
    sys::close_once(for_mason.settled);
    sweep::let_go();
    allowed_sockets::let_go();
    mason_socket = ends[1];
    if (!own_namespace) sys::prctl(PR_SET_CHILD_SUBREAPER, 1, 0);
    return pid;
}

long unshare(uint64_t namespaces) {
    const long result = sys::unshare(namespaces);
    if (result == 0 && (namespaces & CLONE_NEWNET) != 0) {
        sockets::open();
        socket_owner::have_own_network();
    }
    return result;
}

// The nursery's clients pass these sockets to the proxy.
long send_out(long fd) {
    if (ways_out >= walls::max_ways_out) return -EINVAL;
    way_out[ways_out++] = static_cast<int>(fd);
    return 0;
}

long listen_on_loopback(uint64_t port) {
    const long fd = network::bind_to_loopback(network::stream, port);
    if (fd < 0) return fd;
    const long listening = sys::listen(static_cast<int>(fd), 128);
    return listening < 0 ? listening : send_out(fd);
}

long answer_names(bool by_others) {
    const long made = network::bind_to_loopback(network::datagram, network::name_port);
    if (made < 0) return made;
    if (by_others) return send_out(made);
    int fd = static_cast<int>(made);
    const long sent = message::send(mason_socket, "n", 1, &fd, 1);
    sys::close_once(fd);
    return sent;
}

long show_processes() {
    const long made =
        mounts::make("proc", nullptr, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
    if (made < 0) return made;
    int processes = static_cast<int>(made);
    const long sent = message::send(mason_socket, "f", 1, &processes, 1);
    sys::close_once(processes);
    return sent;
}

// Out of all sets; and uid 0 gets none of them back by executing something.
// Without CAP_SETPCAP the bounding set stays: no new privileges does the same for what is executed.
long keep_capabilities(uint64_t kept, bool lowers_bounds) {
    constexpr int most = 63;
    constexpr unsigned long locked_no_root = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
                                             SECBIT_NO_CAP_AMBIENT_RAISE |
                                             SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;
    if (kept == 0 && lowers_bounds) {
        const long locked = sys::prctl(PR_SET_SECUREBITS, locked_no_root, 0);
        if (locked < 0) return locked;
    }
    for (int one = 0; one <= most && lowers_bounds; ++one) {
        if ((kept >> one & 1) != 0) continue;
        const long dropped = sys::prctl(PR_CAPBSET_DROP, static_cast<unsigned long>(one), 0);
        if (dropped == -EINVAL) break;  // the kernel knows no higher one
        if (dropped < 0) return dropped;
    }
    sys::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2] = {};
    for (unsigned half = 0; half < 2; ++half) {
        const auto bits = static_cast<uint32_t>(kept >> (32 * half));
        data[half] = {bits, bits, 0};
    }
    return sys::capset(&header, data);
}

long make_ruleset(const WallStep& step) {
    struct {
        uint64_t files;
        uint64_t network;
        uint64_t scoped;
    } handled{step.a, step.b, step.c};
    // An older kernel takes only the part of it that it knows.
    size_t size = sizeof handled.files;
    if (step.b != 0 || step.c != 0) size += sizeof handled.network;
    if (step.c != 0) size += sizeof handled.scoped;
    const long fd = sys::landlock_create_ruleset(&handled, size, 0);
    if (fd < 0) return fd;
    ruleset = static_cast<int>(fd);
    return 0;
}

long add_rule(const WallStep& step, const char* path) {
    const long opened = mounts::open(path, step.identity);
    if (opened < 0) return opened;
    int object = static_cast<int>(opened);
    landlock_path_beneath_attr rule{step.a, object};
    const long added = mounts::is_link(object)
                           ? -ELOOP
                           : sys::landlock_add_rule(ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule);
    sys::close_once(object);
    return added;
}

long enter_ruleset() {
    const long entered = sys::landlock_restrict_self(ruleset, 0);
    sys::close_once(ruleset);
    return entered;
}

long install_filter(const WallStep& step, const char* program, const char* refused) {
    struct {
        unsigned short length;
        const void* filter;
    } filter{static_cast<unsigned short>(step.a), program};
    if (step.b == 0) return sys::seccomp(SECCOMP_SET_MODE_FILTER, 0, &filter);
    // A signal shall not make the mason look at a call twice. Linux 5.19.
    constexpr unsigned wait_killable = 1U << 5;
    long listener = sys::seccomp(SECCOMP_SET_MODE_FILTER,
                                 SECCOMP_FILTER_FLAG_NEW_LISTENER | wait_killable, &filter);
    if (listener == -EINVAL)
        listener = sys::seccomp(SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
    if (listener < 0) return listener;
    int fd = static_cast<int>(listener);
    const long sent = message::send(mason_socket, refused, step.c, &fd, 1);
    sys::close(fd);
    return sent;
}

// A mount that somebody detached from outside, by renaming over its place, is made again.
long protect(const WallStep& step, const char* path) {
    const long opened = mounts::open(path, step.identity);
    if (opened < 0) return opened;
    int object = static_cast<int>(opened);
    const bool stays_writable = step.a != 0;
    const bool is_link = mounts::is_link(object);
    const bool passes = is_link && step.b == 0;
    const bool held =
        (mounts::is_mounted(object) && (stays_writable || mounts::is_read_only(object))) ||
        passes || sentry::is_suspect(path);
    const long result =
        held ? 0 : mounts::mount_on_itself(object, stays_writable ? 0 : MOUNT_ATTR_RDONLY);
    sys::close_once(object);
    // A kernel that mounts nothing on a link leaves the link to the sentry, which makes it again.
    return is_link ? 0 : result;
}

long set_attributes(const WallStep& step, const char* path) {
    const auto below = step.b != 0 ? mounts::Below::Taken : mounts::Below::Left;
    if (path == nullptr) {
        if (step.c >= husk::wire::max_trees) return -EINVAL;
        return mounts::set_attributes(trees[step.c], step.a, below);
    }
    const long opened = mounts::open(path, step.identity);
    if (opened < 0) return opened;
    int root = static_cast<int>(opened);
    const long set = mounts::set_attributes(root, step.a, below);
    sys::close_once(root);
    return set;
}

long set_propagation(uint64_t kind) {
    constexpr unsigned recursive = 0x8000;  // AT_RECURSIVE
    mount_attr attributes{};
    attributes.propagation = kind;
    return sys::mount_setattr(AT_FDCWD, "/", recursive, &attributes, sizeof attributes);
}

long take_file_step(const Description& all, const WallStep& step) {
    const char* first = all.text(step, 0);
    const char* second = all.text(step, 1);
    switch (step.op) {
        case WallOp::WriteFile: return write_file(first, second);
        case WallOp::Mount: return mount_new(step, first, second, all.text(step, 2));
        case WallOp::Bind: return bind(step, first, second);
        case WallOp::CloneTree: return clone_tree(step, first);
        case WallOp::PlaceTree: return place_tree(step, first);
        case WallOp::SetAttributes: return set_attributes(step, first);
        case WallOp::SetPropagation: return set_propagation(step.a);
        case WallOp::MakeDirectory:
        case WallOp::MakeFile:
        case WallOp::MakeWhiteout: return make_entry(step, first, nullptr);
        case WallOp::MakeLink: return make_entry(step, second, first);
        case WallOp::AddRule: return add_rule(step, first);
        case WallOp::Cover: return mounts::cover(first, step.identity, {step.a != 0, step.b != 0});
        case WallOp::Protect: return protect(step, first);
        case WallOp::HoldRoot: return sweep::hold(first, step.identity, step.a != 0);
        case WallOp::HoldSocket:
            return allowed_sockets::hold({first, second, all.text(step, 2), step.a != 0},
                                         step.identity);
        case WallOp::HoldScratch: return scratch::hold(first);
        case WallOp::KeepHome: return home_copy::keep(first), 0;
        default: return -ENOSYS;
    }
}

long take_step(const Description& all, const WallStep& step) {
    switch (step.op) {
        case WallOp::Unshare: return unshare(step.a);
        case WallOp::BecomeInit: return become_init(step.a);
        case WallOp::RaiseLoopback: return network::raise_loopback(static_cast<uint32_t>(step.a));
        case WallOp::ListenOnLoopback: return listen_on_loopback(step.a);
        case WallOp::AnswerNames: return answer_names(step.a != 0);
        case WallOp::ShowProcesses: return show_processes();
        case WallOp::Forward:
            return message::send(mason_socket, all.text(step, 0), sizeof(forwarding::Ways), nullptr,
                                 0);
        case WallOp::KeepCapabilities: return keep_capabilities(step.a, step.b == 0);
        case WallOp::NoNewPrivileges: return sys::prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
        case WallOp::MakeRuleset: return make_ruleset(step);
        case WallOp::EnterRuleset: return enter_ruleset();
        case WallOp::Filter: return install_filter(step, all.text(step, 0), all.text(step, 1));
        default: return take_file_step(all, step);
    }
}

// The object has gone, is another one than it was, or cannot be reached. A protected name that
// cannot be seen may be there.
bool is_gone(const WallStep& step, long result) {
    if (step.op == WallOp::Protect && (result == -EACCES || result == -ESTALE)) return false;
    // A setting of the kernel that this /proc does not let anybody change.
    if (step.op == WallOp::WriteFile && (result == -EROFS || result == -EPERM)) return true;
    return result == -ENOENT || result == -ENOTDIR || result == -EACCES || result == -ELOOP ||
           result == -ESTALE;
}

walls::Built failed(uint32_t step, int error) { return {step, error, {}, 0, -1}; }

}  // namespace

namespace walls {

Built build(int description, const sentry::Sources& sources) {
    for_mason = sources;
    constexpr int from_end = 2;
    const long size = sys::lseek(description, 0, from_end);
    if (size < static_cast<long>(sizeof(husk::wire::Walls)) || size > husk::wire::max_walls)
        return failed(1, EBADMSG);
    const long mapped =
        sys::mmap(nullptr, static_cast<size_t>(size), PROT_READ, MAP_PRIVATE, description, 0);
    sys::close(description);
    if (mapped < 0 && mapped > -4096) return failed(1, static_cast<int>(-mapped));
    Description all;
    all.begin = reinterpret_cast<const char*>(mapped);
    all.header = reinterpret_cast<const husk::wire::Walls*>(all.begin);
    if (!husk::wire::is_sound(all.begin, static_cast<uint64_t>(size))) return failed(1, EBADMSG);
    for (int& tree : trees) tree = -1;
    sys::umask(0);  // modes are as the steps say
    for (uint32_t i = 0; i < all.header->steps; ++i) {
        const WallStep& step = all.step(i);
        const long result = take_step(all, step);
        const bool passed_over = step.optional != 0 && is_gone(step, result);
        if (result < 0 && !passed_over) return failed(i + 1, static_cast<int>(-result));
    }
    for (int& tree : trees) sys::close_once(tree);
    sys::munmap(reinterpret_cast<void*>(mapped), static_cast<size_t>(size));
    Built built{0, 0, {}, ways_out, mason_socket};
    for (unsigned i = 0; i < ways_out; ++i) built.ways_out[i] = way_out[i];
    return built;
}

}  // namespace walls
