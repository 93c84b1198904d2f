// The rows of Kernel::probe, and how a probe is done without leaving anything behind.
#pragma once

#include <unistd.h>

#include <sys/types.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "os/kernel.h"
#include "os/program.h"

namespace husk::os::probe {

// How a probe ended in its child: well, or at a step.
struct Outcome {
    const char* failed = nullptr;  // a literal, which parent and child have at the same address
    int error = 0;                 // errno, or 0
    char text[256] = {};           // the version, or on what it failed; cut if it is longer
};

Outcome well(std::string_view version = "");
Outcome failed_at(const char* step, int error = errno, std::string_view detail = "");

// Does it in a throw-away child, which is reaped when this returns. The child is killed if
// it takes longer than ten seconds, and those that it forks with fork_bound go with it.
Result<std::string> in_child(const std::function<Outcome()>& work);

// The child dies with its parent, or when its ten seconds are over.
pid_t fork_bound(const std::function<pid_t()>& fork);
pid_t fork_bound();

// Waits for exactly that child: its exit code, or -1 if it did not exit.
int exit_code_of(pid_t child);

struct Pipe {
    Fd reading;
    Fd writing;
};
Result<Pipe> make_pipe();

// A child that waits until it is killed, and is, at the latest with this object.
class Sleeper {
public:
    explicit Sleeper(const std::function<pid_t()>& fork = ::fork);
    ~Sleeper();
    Sleeper(const Sleeper&) = delete;
    Sleeper& operator=(const Sleeper&) = delete;

    pid_t pid() const { return pid_; }  // -1: the fork failed

private:
    pid_t pid_;
};

// What is lost without something that is required.
inline constexpr const char* nothing_runs = "no command can be run";

// The description with what was found out.
Capability judged(Capability description, const Result<std::string>& outcome);

Capability pidfd();
Capability subreaper();
Capability lists_of_children();
Capability executing_from_memory();
Capability bash(const Result<Program>& program);
Capability file_locks(const std::filesystem::path& state);
Capability shared_mapping(const std::filesystem::path& state);
Capability hole_punching(const std::filesystem::path& state);
Capability inotify(const std::filesystem::path& state);
Capability io_accounting();
Capability open_files();
Capability landlock();
Capability seccomp();
Capability user_namespace();
Capability pid_namespace();
Capability network_namespace();
Capability mount_namespace();
Capability overlay();
Capability cgroup_v2();
Capability cgroup_v1();
Capability limits_by_cgroup();

}  // namespace husk::os::probe
