// What a keeper is told to do, as a value and as the message that carries it.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <husk/request.h>

#include "base/result.h"
#include "keeper/wire.h"
#include "run/ceilings.h"

namespace husk::run {

struct ResourceLimit {
    unsigned resource;  // RLIMIT_*
    uint64_t soft;
    uint64_t hard;
};

// How a command gets its standard input.
enum class InputWay {
    Given,  // the descriptor itself
    Fed,    // a pipe, into which the keeper writes what it reads from the descriptor
    Null,   // the /dev/null that the session sees
};

struct LaunchPlan {
    std::string program;
    std::string directory = {};  // by name, in a session behind walls; else a descriptor has it
    std::vector<std::string> argv;
    std::vector<std::string> env;  // NAME=value
    InputWay input = InputWay::Given;
    bool background = false;
    Streams streams = Streams::Merged;
    Leftovers leftovers = Leftovers::Adopt;
    OnTimeout on_timeout = OnTimeout::Kill;
    std::optional<std::chrono::milliseconds> timeout;
    std::optional<std::chrono::milliseconds> idle_timeout;
    std::chrono::milliseconds max_lifetime{0};  // of what nobody waits for; 0 = none
    std::optional<uint64_t> output_limit;
    uint64_t keep_output_bytes = 0;
    StopLadder stop;
    unsigned umask = 022;
    std::vector<ResourceLimit> limits;  // of each process
    wire::TreeLimits tree_limits{};     // of all of them together
    CeilingsPlan ceilings = {};         // those of these that the kernel keeps
    std::optional<LastLine> last_line = {};
};

// The message, for a command that enters a cgroup with these files; an error when it would not fit.
Result<std::string> encode(const LaunchPlan& plan, uint32_t cgroup_files = 0);

// The path of the bash that runs commands: a fixed one that only root can change (os/program.h).
Result<std::string> find_bash();

// A program by its name, as execvp does it: with a slash it is a path, below `directory` if it is
// not absolute; else the first in `path` (empty: where programs usually are) that can be executed.
Result<std::string> find_program(const std::string& name, const std::string& path,
                                 const std::filesystem::path& directory);

// What the kernel enforces for each process: also no core files, and a number of open files that
// is the same whatever the caller allows itself.
std::vector<ResourceLimit> process_limits(const Limits& asked);

// What the keeper watches.
wire::TreeLimits tree_limits(const Limits& asked);

}  // namespace husk::run
