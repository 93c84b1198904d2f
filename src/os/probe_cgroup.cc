// Control groups: whether we can make one below our own and use it.
#include <fcntl.h>
#include <linux/sched.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iterator>
#include <thread>

#include "base/id.h"
#include "base/text.h"
#include "os/cgroup.h"
#include "os/file.h"
#include "os/limited_cgroup.h"
#include "os/probe.h"

namespace husk::os::probe {
namespace {

namespace fs = std::filesystem;

// The cgroup is taken away even if nobody waits for the probe any more.
void outlive_parent() { ::prctl(PR_SET_PDEATHSIG, 0); }

// A cgroup for the probe, removed with this object.
class ThrowAwayCgroup {
public:
    explicit ThrowAwayCgroup(const fs::path& parent)
        : path_(parent / ("husk-probe-" + random_id(8))) {
        error_ = ::mkdir(path_.c_str(), 0700) == 0 ? 0 : errno;
    }
    ~ThrowAwayCgroup() {
        if (error_ != 0) return;
        // The kernel lets go of its last process a moment after that has been reaped.
        for (int tries = 0; tries < 100 && ::rmdir(path_.c_str()) != 0 && errno == EBUSY; ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ThrowAwayCgroup(const ThrowAwayCgroup&) = delete;
    ThrowAwayCgroup& operator=(const ThrowAwayCgroup&) = delete;

    int error() const { return error_; }
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
    int error_ = 0;
};

bool write_to(const fs::path& file, const std::string& text) {
    const auto opened = open(file, O_WRONLY);
    if (!opened) errno = opened.error().code;
    return opened &&
           ::write(opened->get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

pid_t fork_into(const Fd& cgroup) {
    clone_args how{};
    how.flags = CLONE_INTO_CGROUP;
    how.exit_signal = SIGCHLD;
    how.cgroup = static_cast<unsigned>(cgroup.get());
    return static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
}

Outcome kill_by_cgroup(const fs::path& cgroup) {
    const auto dir = open(cgroup, O_RDONLY | O_DIRECTORY);
    if (!dir) return failed_at("open", dir.error().code);
    const Sleeper sleeper([&] { return fork_into(*dir); });
    if (sleeper.pid() < 0) return failed_at("clone3");
    if (!write_to(cgroup / "cgroup.kill", "1")) return failed_at("write cgroup.kill");
    siginfo_t ended{};
    // It stays to be reaped by its owner; the probe's alarm ends a wait in vain.
    if (::waitid(P_PID, static_cast<id_t>(sleeper.pid()), &ended, WEXITED | WNOWAIT) != 0)
        return failed_at("waitid");
    return ended.si_status == SIGKILL ? well() : failed_at("the process was not killed", 0);
}

Outcome make_and_kill(const fs::path& own) {
    outlive_parent();
    const ThrowAwayCgroup cgroup(own);
    if (cgroup.error() != 0) return failed_at("mkdir", cgroup.error(), own.string());
    return kill_by_cgroup(cgroup.path());
}

Result<std::string> use_v2() {
    const auto all = own_cgroups();
    const auto own = std::ranges::find(all, "", &Cgroup::controllers);
    if (own == all.end()) return failure("no cgroup2 is mounted that has this process", 0, "");
    CHECK(in_child([&] { return make_and_kill(own->directory); }));
    std::string controllers = TRY(read_file(own->directory / "cgroup.controllers"));
    while (controllers.ends_with('\n')) controllers.pop_back();
    return controllers.empty() ? "without controllers" : "with " + controllers;
}

Outcome make_in_all_of_v1() {
    outlive_parent();
    Outcome refused = failed_at("no controller is mounted", 0);
    std::vector<std::string> usable;
    for (const Cgroup& own : own_cgroups()) {
        if (own.controllers.empty() || own.controllers.starts_with("name=")) continue;
        const ThrowAwayCgroup cgroup(own.directory);
        if (cgroup.error() == 0) {
            std::ranges::copy(split_list(own.controllers, ','), std::back_inserter(usable));
        } else {
            refused = failed_at("mkdir", cgroup.error(), own.directory.string());
        }
    }
    if (usable.empty()) return refused;
    std::ranges::sort(usable);
    return well("with " + text::join(usable, " "));
}

// A child that enters and is counted.
Outcome enter(const LimitedCgroup& cgroup, const fs::path& dir) {
    const pid_t child = fork_bound();
    if (child == 0) {
        for (const Fd* procs : {&cgroup.memory_procs, &cgroup.tasks_procs})
            if (*procs && ::write(procs->get(), "0", 1) != 1) ::_exit(errno);
        ::_exit(read_file(dir / "cgroup.procs").value_or("").empty() ? ESRCH : 0);
    }
    if (child < 0) return failed_at("fork");
    const int code = exit_code_of(child);
    return code == 0 ? well() : failed_at("enter the cgroup", code, dir.string());
}

Outcome limit_a_tree() {
    outlive_parent();
    constexpr Ceilings some{.memory = 64 << 20, .tasks = 64};
    const CgroupPlan plan = plan_cgroup(own_cgroups(), some);
    if (plan.version == 0)
        return failed_at("no cgroup with the controllers memory or pids can be made here", 0);
    const std::string name = "husk-probe-" + random_id(8);
    const auto made = make_cgroup(plan, some, name);
    if (!made) return failed_at("make a cgroup", made.error().code, made.error().detail);
    const Outcome entered = enter(*made, plan.directories.front().parent / name);
    if (entered.failed != nullptr) return entered;
    std::vector<std::string> kept;
    if (plan.keeps_memory()) kept.emplace_back("memory");
    if (plan.keeps_tasks()) kept.emplace_back("processes");
    return well("v" + std::to_string(plan.version) + ": " + text::join(kept, ", "));
}

}  // namespace

Capability cgroup_v2() {
    return judged({.mechanism = "cgroup v2",
                   .needed_for = "limits of a tree, killing it at one stroke",
                   .without = "limits by sampling",
                   .remedy = "a delegated cgroup: systemd-run --user --scope -p Delegate=yes husk "
                             "...; in a container, a writable /sys/fs/cgroup"},
                  use_v2());
}

Capability cgroup_v1() {
    return judged({.mechanism = "cgroup v1",
                   .needed_for = "the same where there is no v2",
                   .without = "limits by sampling",
                   .remedy = "not needed with cgroup v2"},
                  in_child(make_in_all_of_v1));
}

Capability limits_by_cgroup() {
    return judged({.mechanism = "limits by cgroup",
                   .needed_for = "memory and processes of a tree, kept by the kernel",
                   .without = "both by sampling, with its overshoot (docs/limits.md)",
                   .remedy = "a delegated cgroup with memory and pids, in which Husk itself has a "
                             "corner: DelegateSubgroup= of systemd; or root, with version 1"},
                  in_child(limit_a_tree));
}

}  // namespace husk::os::probe
