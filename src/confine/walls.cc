#include "confine/walls.h"

#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "confine/checks.h"
#include "confine/reading.h"
#include "confine/secrets.h"
#include "confine/syscalls.h"
#include "confine/view.h"
#include "os/kernel_version.h"
#include "os/landlock.h"
#include "os/seccomp.h"

namespace husk::confine {
namespace {

namespace fs = std::filesystem;
using wire::WallOp;

constexpr int session_processes = 4096;

bool has_own_network(const Wanted& wanted) { return wanted.network.kind != Network::Kind::Open; }

void add_namespaces(const Wanted& wanted, Steps& steps) {
    uint64_t flags = CLONE_NEWNS | CLONE_NEWIPC;
    if (!wanted.root) flags |= CLONE_NEWUSER;
    if (has_own_network(wanted)) flags |= CLONE_NEWNET;
    steps.add({WallOp::Unshare, "make namespaces", flags});
    if (!wanted.root) {
        const auto map = [&](const char* file, unsigned id) {
            const std::string number = std::to_string(id);
            const std::string line = number + " " + number + " 1";
            steps.add({WallOp::WriteFile, std::string("write ") + file, 0, 0, 0, {file, line}});
        };
        steps.add({WallOp::WriteFile,
                   "write /proc/self/setgroups",
                   0,
                   0,
                   0,
                   {"/proc/self/setgroups", "deny"}});
        map("/proc/self/uid_map", ::geteuid());
        map("/proc/self/gid_map", ::getegid());
    }
    steps.add({WallOp::Mount, "make mounts private", MS_REC | MS_PRIVATE, 0, 0, {"", "/"}});
}

void add_init(Steps& steps) {
    steps.add({WallOp::BecomeInit, "make a PID namespace"});
    steps.mount("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "");
    // Before Linux 6.14 this would be the machine's own ceiling.
    if (os::kernel_is_at_least(6, 14)) {
        steps.add({WallOp::WriteFile,
                   "limit the session's processes",
                   0,
                   0,
                   0,
                   {"/proc/sys/kernel/pid_max", std::to_string(session_processes)}});
    }
    steps.make_read_only("/proc");
}

void add_network(const Wanted& wanted, Steps& steps) {
    if (!has_own_network(wanted)) return;
    steps.add({WallOp::RaiseLoopback, "raise the loopback"});
    if (wanted.network.kind == Network::Kind::Hosts)
        steps.add({WallOp::ListenOnLoopback, "listen for the proxy", proxy_port_of(wanted)});
}

uint64_t kept_capabilities(const Wanted& wanted) {
    if (!wanted.root || wanted.mode != Mode::Workspace) return 0;
    return 1ULL << CAP_CHOWN | 1ULL << CAP_DAC_OVERRIDE | 1ULL << CAP_FOWNER | 1ULL << CAP_FSETID;
}

std::vector<fs::path> withheld(const Wanted& wanted) {
    std::vector<fs::path> all = {"/proc", "/dev", "/tmp", "/run", "/var/run", wanted.state};
    if (!wanted.home.empty()) all.push_back(wanted.home);
    if (wanted.root)
        for (const fs::path& secret : secrets_of_system()) all.push_back(secret);
    return all;
}

// What the resolver of names may need of /run.
constexpr const char* readable_in_run[] = {"/run/systemd/resolve", "/run/resolvconf",
                                           "/run/NetworkManager/resolv.conf"};

void add_files(const Wanted& wanted, Steps& steps) {
    namespace landlock = os::landlock;
    const int abi = landlock::abi();
    steps.add({WallOp::MakeRuleset, "make a Landlock ruleset", landlock::all_rights(abi), 0,
               landlock::scopes(abi)});
    grant("/", landlock::listing(), steps);
    grant_reading("/", withheld(wanted), steps);
    for (const char* path : readable_in_run) grant(path, landlock::reading(), steps);
    grant("/proc", landlock::reading(), steps);
    const uint64_t on_scratch =
        wanted.scratch == Scratch::None ? landlock::reading() : landlock::writing(abi);
    for (const char* scratch : {"/tmp", "/dev/shm"}) grant(scratch, on_scratch, steps);
    grant(home_inside(wanted), on_scratch, steps);
    for (const char* device : {"null", "zero", "full", "random", "urandom", "tty"})
        grant(fs::path("/dev") / device, landlock::on_files(landlock::writing(abi)), steps);
    grant("/dev/pts", landlock::writing(abi), steps);
    if (!wanted.logs.empty()) grant(wanted.logs, landlock::reading(), steps);
    grant(wanted.workspace, landlock::reading(), steps);
    for (const fs::path& given : wanted.readable) grant(given, landlock::reading(), steps);
    for (const fs::path& root : writable_roots(wanted)) grant(root, landlock::writing(abi), steps);
}

Result<void> add_filter(const Wanted& wanted, Steps& steps) {
    SyscallPolicy policy{};
    policy.witness = wanted.watch_denials;
    policy.witness_sees_all = wanted.mode == Mode::ReadOnly;
    policy.sockets = Sockets::PrivateNetwork;
    policy.pid_namespace = true;
    policy.ipc_namespace = true;
    policy.truncate_forbidden = false;
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
    steps.add(std::move(step));
    return {};
}

const char* word(Mode mode) {
    return mode == Mode::ReadOnly ? "read-only" : mode == Mode::Workspace ? "workspace" : "open";
}

}  // namespace

Confinement standing(const Wanted& wanted) {
    Confinement result;
    result.mode = word(wanted.mode);
    if (!wanted.closed()) return result;
    result.files = "landlock " + std::to_string(os::landlock::abi()) + " and mounts";
    result.network = wanted.network.kind == Network::Kind::Open    ? "open"
                     : wanted.network.kind == Network::Kind::Hosts ? "listed hosts, by proxy"
                                                                   : "own loopback only";
    result.signals = "own session only";
    result.processes = "own session only";
    // To be asked about everything that is read would make reading three times as slow.
    result.unwatched = {"reads", "unix sockets"};
    if (wanted.mode == Mode::Workspace) result.unwatched.emplace_back("removals, links, metadata");
    if (!wanted.watch_denials) result.unwatched = {"everything"};
    return result;
}

Error Walls::explain(uint32_t step, int error) const {
    if (step == 0 || step > steps.size()) return {"walls", error, "they could not be built"};
    return {"walls: " + steps.all()[step - 1].name, error,
            "without this wall nothing is run; `husk doctor` tells what is missing"};
}

Result<Walls> plan_walls(const Wanted& wanted) {
    Walls walls;
    walls.standing = standing(wanted);
    if (!wanted.closed()) return walls;
    CHECK(check_machine(wanted));
    CHECK(check_workspace(wanted));
    Steps& steps = walls.steps;
    add_namespaces(wanted, steps);
    add_view(wanted, steps);
    walls.protection = find_protected(wanted);
    add_protection(wanted, walls.protection.present, steps);
    add_init(steps);
    add_network(wanted, steps);
    add_files(wanted, steps);  // root can open everything only as long as it is root
    steps.add({WallOp::KeepCapabilities, "drop capabilities", kept_capabilities(wanted)});
    steps.add({WallOp::NoNewPrivileges, "forbid new privileges"});
    steps.add({WallOp::EnterRuleset, "enter the Landlock ruleset"});
    CHECK(add_filter(wanted, steps));
    return walls;
}

}  // namespace husk::confine
