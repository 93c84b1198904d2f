#include "confine/walls.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "confine/accounts.h"
#include "confine/checks.h"
#include "confine/file_rules.h"
#include "confine/kernel_mounts.h"
#include "confine/machine.h"
#include "confine/outside_sockets.h"
#include "confine/own_network.h"
#include "confine/syscalls.h"
#include "confine/view.h"
#include "confine/withheld.h"
#include "os/capability_set.h"
#include "os/kernel_version.h"
#include "os/landlock.h"
#include "os/seccomp.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;
using wire::WallOp;

// Threads count too. A single command may have as many processes as docs/limits.md says.
long session_processes() {
    constexpr long fewest = 4096;
    constexpr long of_one_processor = 512;
    return std::max(fewest, of_one_processor * ::sysconf(_SC_NPROCESSORS_ONLN));
}

void add_user_namespace(Steps& steps) {
    const auto write = [&](const char* file, const std::string& text) {
        steps.add_with(mechanism::user_namespace,
                       {WallOp::WriteFile, std::string("write ") + file, 0, 0, 0, {file, text}});
    };
    const auto itself = [](unsigned id) {
        const std::string number = std::to_string(id);
        return number + " " + number + " 1";
    };
    steps.add_with(mechanism::user_namespace,
                   {WallOp::Unshare, "make a user namespace", CLONE_NEWUSER});
    write("/proc/self/setgroups", "deny");
    write("/proc/self/uid_map", itself(::geteuid()));
    write("/proc/self/gid_map", itself(::getegid()));
}

// One after the other, so that a machine that lacks one of them is known by the step that fails.
void add_namespaces(const Wanted& wanted, Steps& steps) {
    if (wanted.machine.user_namespace) add_user_namespace(steps);
    if (wanted.machine.mount_namespace) {
        steps.add_with(mechanism::mount_namespace,
                       {WallOp::Unshare, "make a mount namespace", CLONE_NEWNS | CLONE_NEWIPC});
        steps.add_with(mechanism::mount_namespace,
                       {WallOp::SetPropagation, "make mounts private", MS_PRIVATE});
    }
    if (has_own_network(wanted)) {
        steps.add_with(mechanism::network_namespace,
                       {WallOp::Unshare, "make a network namespace", CLONE_NEWNET});
    }
}

void add_init(const Wanted& wanted, Steps& steps) {
    if (!wanted.machine.pid_namespace) {
        steps.add({WallOp::BecomeInit, "leave a guard behind", wire::AsGuard});
        return;
    }
    steps.add_with(mechanism::pid_namespace, {WallOp::BecomeInit, "make a PID namespace"});
    // In a container whose own /proc is covered in part, the kernel gives no fresh one.
    steps.add_with(mechanism::pid_namespace,
                   {WallOp::Mount,
                    "mount proc on /proc",
                    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC,
                    0,
                    0,
                    {"proc", "/proc"}});
    // Before Linux 6.14 this would be the machine's own ceiling.
    if (os::kernel_is_at_least(6, 14)) {
        steps.add({WallOp::WriteFile,
                   "limit the session's processes",
                   0,
                   0,
                   0,
                   {"/proc/sys/kernel/pid_max", std::to_string(session_processes())}});
    }
    open_own_network(wanted, steps);
    steps.make_read_only("/proc");
    if (has_witness(wanted))
        steps.add({WallOp::ShowProcesses, "show the session's processes to the mason"});
}

uint64_t kept_capabilities(const Wanted& wanted) {
    // Only read-only mounts keep the owners and modes of what lies outside.
    if (!wanted.root || wanted.mode != Mode::Workspace || !wanted.machine.mount_namespace) return 0;
    // Without CAP_FSETID, writing to a file takes its set-user-ID bit away, and no file gets the
    // set-group-ID bit of a group that root is not in.
    const uint64_t usual = 1ULL << CAP_CHOWN | 1ULL << CAP_DAC_OVERRIDE | 1ULL << CAP_FOWNER;
    return can_become_others(wanted) ? usual | rights_to_become_others() : usual;
}

// Mounts of the kernel are covered where there is a mount namespace.
std::vector<fs::path> withheld(const Wanted& wanted, const std::vector<fs::path>& secrets,
                               const std::vector<KernelMount>& mounts) {
    std::vector<fs::path> all = {"/proc", "/dev", "/run", "/var/run", wanted.state};
    std::ranges::copy(private_places(), std::back_inserter(all));
    if (has_home(wanted)) all.push_back(wanted.home);
    all.insert(all.end(), secrets.begin(), secrets.end());
    if (!wanted.machine.mount_namespace)
        for (const KernelMount& mount : mounts) all.push_back(mount.path);
    return all;
}

Result<void> add_filter(const Wanted& wanted, Steps& steps) {
    const Machine& machine = wanted.machine;
    const bool no_network = wanted.network.kind == Network::Kind::None && !has_own_network(wanted);
    SyscallPolicy policy{};
    policy.metadata_forbidden = !machine.mount_namespace && wanted.mode == Mode::ReadOnly;
    policy.sockets = no_network ? Sockets::None : Sockets::PrivateNetwork;
    policy.pid_namespace = machine.pid_namespace;
    policy.ipc_namespace = machine.mount_namespace;  // they are made together
    policy.truncate_forbidden =
        !machine.mount_namespace && machine.landlock < os::landlock::abi_of_truncation;
    policy.witness = has_witness(wanted);
    // Keepers and the nursery are in the same Landlock domain, and are not dumpable.
    policy.one_user = wanted.root && !can_become_others(wanted);
    policy.tracing = machine.landlock > 0;
    if (policy.witness) policy.unix_sockets = UnixSockets::ThroughWitness;
    policy.has_way_out = wanted.network.kind == Network::Kind::Open;
    policy.witness_sees_all = wanted.mode == Mode::ReadOnly;
    // Git removes files before it replaces them, and goes on if it cannot: those of the checkout
    // around the workspace stay as they are.
    policy.witness_sees_removals = !wanted.checkout.empty();
    const auto program = TRY(os::compile(syscall_policy(policy)));
    std::string bytes(reinterpret_cast<const char*>(program.data()),
                      program.size() * sizeof program[0]);
    Step step{WallOp::Filter, "install the system call filter", program.size()};
    step.texts = {std::move(bytes)};
    if (policy.witness) {
        const auto rows = rows_for_witness(policy);
        step.b = 1;
        step.c = rows.size() * sizeof rows[0];
        step.texts.emplace_back(reinterpret_cast<const char*>(rows.data()), step.c);
    }
    steps.add_with(policy.witness ? mechanism::listener : "", std::move(step));
    return {};
}

// Before there are namespaces: what is taken away has to be moved from the roots to the state
// directory, which is possible only within one mount.
void add_held_roots(const Wanted& wanted, Steps& steps) {
    const auto hold = [&](const fs::path& path, uint64_t is_state) {
        Step step{WallOp::HoldRoot, "open " + path.string(), is_state};
        step.texts = {path.string()};
        step.identity = wanted.identity_of(path);
        steps.add(std::move(step));
    };
    const std::vector<fs::path> roots = held_roots(wanted);
    if (!roots.empty()) hold(wanted.state, 1);
    for (const fs::path& root : roots) hold(root, 0);
}

// In mode open there is nothing but these. Mounts of the machine that come later are seen.
Result<void> add_protection_of_open(const Wanted& wanted, Walls& walls) {
    if (wanted.protect.empty()) return {};
    walls.protection = TRY(find_protected(wanted));
    add_held_roots(wanted, walls.steps);
    if (wanted.machine.mount_namespace) {
        if (wanted.machine.user_namespace) add_user_namespace(walls.steps);
        walls.steps.add_with(mechanism::mount_namespace,
                             {WallOp::Unshare, "make a mount namespace", CLONE_NEWNS});
        walls.steps.add_with(mechanism::mount_namespace,
                             {WallOp::SetPropagation, "make mounts follow", MS_SLAVE});
        add_protection(wanted, walls.protection.names, walls.steps);
    }
    walls.steps.add(
        {WallOp::BecomeInit, "leave somebody behind to renew it", wire::AsMasonOfTheOpen});
    return {};
}

const char* word(Mode mode) {
    return mode == Mode::ReadOnly ? "read-only" : mode == Mode::Workspace ? "workspace" : "open";
}

}  // namespace

bool has_witness(const Wanted& wanted) {
    return wanted.closed() && wanted.watch_denials && wanted.machine.pid_namespace &&
           wanted.machine.mount_namespace && wanted.machine.listener;
}

Confinement standing(const Wanted& wanted) {
    Confinement result;
    result.mode = word(wanted.mode);
    if (!wanted.closed()) {
        if (wanted.protect.empty()) return result;
        if (wanted.machine.mount_namespace) result.files = "open, but for what is protected";
        if (!wanted.machine.mount_namespace) result.missing.emplace_back("protected-paths");
        return result;
    }
    const Machine& machine = wanted.machine;
    result.files = "landlock " + std::to_string(machine.landlock) +
                   (machine.mount_namespace ? " and mounts" : "") +
                   (wanted.allowed ? ", of the allowed paths only" : "");
    result.network = wanted.network.kind == Network::Kind::Open    ? "open"
                     : wanted.network.kind == Network::Kind::Hosts ? "listed hosts, by proxy"
                     : machine.network_namespace                   ? "own loopback only"
                                                                   : "none";
    const bool scoped = machine.landlock >= os::landlock::abi_of_scopes;
    result.signals = machine.pid_namespace || scoped ? "own session only" : "open";
    result.processes = machine.pid_namespace ? "own session only" : "all can be seen";
    result.missing = offer(machine, wanted.mode, wanted.network.kind, wanted.accept).missing;
    if (has_own_network(wanted))
        for (const uint16_t port : wanted.publish)
            result.published.push_back("http://127.0.0.1:" + std::to_string(port));
    // To be asked about everything that is read would make reading three times as slow.
    result.unwatched = {"reads"};
    if (wanted.mode == Mode::Workspace) {
        result.unwatched.emplace_back(wanted.checkout.empty() ? "removals, metadata" : "metadata");
        result.unwatched.emplace_back("opening with O_NONBLOCK");
    }
    if (!has_witness(wanted)) result.unwatched = {"everything"};
    return result;
}

Error Walls::explain(uint32_t step, int error) const {
    if (step == 0 || step > steps.size()) return {"walls", error, "they could not be built"};
    return {"walls: " + steps.all()[step - 1].name, error,
            "without this wall nothing is run; `husk doctor` tells what is missing"};
}

std::string Walls::mechanism_of(uint32_t step) const {
    return step == 0 || step > steps.size() ? "" : steps.all()[step - 1].mechanism;
}

Result<Walls> plan_walls(const Wanted& wanted) {
    Walls walls;
    walls.standing = standing(wanted);
    if (!wanted.closed()) {
        CHECK(add_protection_of_open(wanted, walls));
        return walls;
    }
    CHECK(check_machine(wanted));
    CHECK(check_workspace(wanted));
    const std::vector<MountedTree> trees = TRY(mounted_trees_now());
    const std::vector<KernelMount> mounts = withheld_mounts(wanted, trees);
    CHECK(check_mounts(wanted, mounts));
    const std::vector<fs::path> secrets = withheld_secrets(wanted, trees);
    CHECK(check_secrets(wanted, secrets));
    CHECK(check_sockets(wanted));
    walls.secrets = secrets_in_roots(wanted, secrets);
    Steps& steps = walls.steps;
    add_held_roots(wanted, steps);
    hold_sockets(wanted, steps);
    add_namespaces(wanted, steps);
    walls.protection = TRY(find_protected(wanted));
    if (wanted.machine.mount_namespace) {
        cover_mounts(wanted, mounts, steps);
        add_view(wanted, secrets, steps);
        add_protection(wanted, walls.protection.names, steps);
    }
    add_init(wanted, steps);
    add_network(wanted, steps);
    add_file_rules(wanted, withheld(wanted, secrets, mounts),
                   steps);  // root can open everything only as long as it is root
    const bool can_lower_bounds = wanted.machine.user_namespace || os::has_capability(CAP_SETPCAP);
    steps.add({WallOp::KeepCapabilities, "drop capabilities", kept_capabilities(wanted),
               can_lower_bounds ? 0U : 1U});
    steps.add({WallOp::NoNewPrivileges, "forbid new privileges"});
    steps.add({WallOp::EnterRuleset, "enter the Landlock ruleset"});
    CHECK(add_filter(wanted, steps));
    return walls;
}

}  // namespace husk::confine
