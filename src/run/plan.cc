#include "run/plan.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/signals.h"
#include "base/units.h"
#include "os/program.h"
#include "request/default_limits.h"
#include "run/limit_name.h"

namespace husk::run {
namespace {

using std::chrono::milliseconds;

// The kernel takes no single argument or variable longer than this.
constexpr size_t longest_string = 128 * 1024 - 1;

// Everything that nobody has said is as it is by default; 0 is no limit.
Limits complete(Limits limits) {
    const Limits usual = default_limits();
    if (!limits.cpu) limits.cpu = usual.cpu;
    if (!limits.memory) limits.memory = usual.memory;
    if (!limits.processes) limits.processes = usual.processes;
    if (!limits.open_files) limits.open_files = usual.open_files;
    if (!limits.file_size) limits.file_size = usual.file_size;
    return limits;
}

milliseconds cpu_of(const Limits& limits) {
    return std::clamp(limits.cpu.value_or(milliseconds(0)), milliseconds(0),
                      text::longest_duration);
}

uint64_t whole_ms(const std::optional<std::chrono::milliseconds>& time) {
    if (!time) return 0;
    return static_cast<uint64_t>(std::max<int64_t>(time->count(), 1));
}

uint32_t flags_of(const LaunchPlan& plan) {
    uint32_t flags = 0;
    if (!plan.background) flags |= wire::Foreground;
    if (plan.on_timeout == OnTimeout::Background) flags |= wire::BackgroundAtDeadline;
    if (plan.streams == Streams::Split) flags |= wire::Split;
    if (!plan.directory.empty()) flags |= wire::DirectoryByName;
    if (plan.last_line) flags |= wire::EndsWithLine;
    if (plan.input == InputWay::Fed) flags |= wire::FeedsInput;
    if (plan.input == InputWay::Null) flags |= wire::NullInput;
    return flags;
}

wire::Plan header_of(const LaunchPlan& plan) {
    wire::Plan header{};
    header.magic = wire::magic;
    header.version = wire::version;
    header.flags = flags_of(plan);
    header.leftovers = static_cast<wire::Leftovers>(plan.leftovers);
    header.argc = static_cast<uint32_t>(plan.argv.size());
    header.envc = static_cast<uint32_t>(plan.env.size());
    header.umask = plan.umask;
    header.cap = plan.keep_output_bytes;
    header.deadline_ms = whole_ms(plan.timeout);
    header.idle_ms = whole_ms(plan.idle_timeout);
    header.lifetime_ms = static_cast<uint64_t>(plan.max_lifetime.count());
    header.output_limit = plan.output_limit.value_or(0);
    header.stop_signal = static_cast<uint32_t>(plan.stop.signal);
    header.patience_ms =
        static_cast<uint32_t>(std::clamp<int64_t>(plan.stop.patience.count(), 0, 0xffffff));
    header.tree = plan.tree_limits;
    header.limit_count = static_cast<uint32_t>(plan.limits.size());
    for (size_t i = 0; i < plan.limits.size(); ++i) {
        const ResourceLimit& limit = plan.limits[i];
        header.limits[i] = {limit.resource, 0, limit.soft, limit.hard};
    }
    return header;
}

std::string filled_in(std::string text, std::string_view place, const std::string& value) {
    if (const size_t at = text.find(place); at != std::string::npos)
        text.replace(at, place.size(), value);
    return text;
}

// errno, or 0 when it can be executed.
int why_not_executable(const std::string& file) {
    struct stat info{};
    if (::stat(file.c_str(), &info) != 0) return errno;
    if (!S_ISREG(info.st_mode)) return EACCES;
    return ::faccessat(AT_FDCWD, file.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

// Of the line after it, as reports name the limit.
std::string_view name_of_limit(uint32_t line) {
    if (line == wire::IdleLine) return "idle";
    if (line == wire::DeadlineLine) return "time";
    return name_of(static_cast<record::Resource>(line));
}

// A keeper knows no words: it is given the line for each ending.
std::vector<std::string> lines_of(const std::optional<LastLine>& line) {
    if (!line) return {};
    const std::string number(1, wire::number_here);
    std::vector<std::string> lines = {filled_in(line->exited, "{code}", number)};
    const auto add_killed = [&](const std::string& how) {
        lines.push_back(filled_in(line->killed, "{how}", how));
    };
    for (int signal = 1; signal <= static_cast<int>(wire::last_signal); ++signal)
        add_killed(" by signal " + std::to_string(signal) + " (" + signal_name(signal) + ")");
    for (uint32_t limit = 0; limit < wire::LimitLineCount; ++limit)
        add_killed(": more " + std::string(name_of_limit(limit)) + " than the limit of " + number);
    return lines;
}

static_assert(static_cast<uint32_t>(Leftovers::Adopt) ==
              static_cast<uint32_t>(wire::Leftovers::Adopt));
static_assert(static_cast<uint32_t>(Leftovers::Kill) ==
              static_cast<uint32_t>(wire::Leftovers::Kill));
static_assert(static_cast<uint32_t>(Leftovers::Wait) ==
              static_cast<uint32_t>(wire::Leftovers::Wait));

}  // namespace

Result<std::string> encode(const LaunchPlan& plan, uint32_t cgroup_files) {
    if (plan.limits.size() > wire::max_limits) return failure("plan", E2BIG, "too many limits");
    if (plan.argv.size() + plan.env.size() > wire::max_strings)
        return failure("plan", E2BIG, "more than 8192 arguments and environment variables");
    wire::Plan header = header_of(plan);
    header.cgroup = cgroup_files;
    if (cgroup_files != 0)
        header.cgroup_version = static_cast<uint32_t>(plan.ceilings.where.version);
    std::string message(reinterpret_cast<const char*>(&header), sizeof header);
    message.append(plan.program).push_back('\0');
    if (!plan.directory.empty()) message.append(plan.directory).push_back('\0');
    const std::vector<std::string> last_lines = lines_of(plan.last_line);
    for (const auto* strings : {&plan.argv, &plan.env, &last_lines}) {
        for (const std::string& text : *strings) {
            if (text.find('\0') != std::string::npos)
                return failure("plan", EINVAL, "an argument or variable contains a NUL byte");
            if (text.size() > longest_string) {
                return failure("plan", E2BIG,
                               "one argument or variable has " + std::to_string(text.size()) +
                                   " bytes, and the kernel takes 131071; put it into a file");
            }
            message.append(text).push_back('\0');
        }
    }
    if (message.size() > wire::max_plan) {
        return failure("plan", E2BIG,
                       "command and environment have " + std::to_string(message.size()) +
                           " bytes, at most " + std::to_string(wire::max_plan) + " fit");
    }
    return message;
}

Result<std::string> find_bash() {
    // No command can change what is at that path, so it is looked up once.
    static thread_local std::string known;
    if (known.empty() || ::access(known.c_str(), X_OK) != 0) known = TRY(os::open_bash()).path;
    return known;
}

Result<std::string> find_program(const std::string& name, const std::string& path,
                                 const std::filesystem::path& directory) {
    if (name.contains('/')) {
        const std::string file = (directory / name).string();
        const int error = why_not_executable(file);
        if (error != 0) return failure("program", error, name);
        return file;
    }
    const std::string places = path.empty() ? "/usr/local/bin:/usr/bin:/bin" : path;
    int worst = ENOENT;
    for (size_t at = 0; at <= places.size();) {
        const size_t end = std::min(places.find(':', at), places.size());
        const std::string candidate =
            (directory / places.substr(at, end - at) / name).lexically_normal().string();
        at = end + 1;
        if (name.empty() || name == "." || name == "..") break;
        const int error = why_not_executable(candidate);
        if (error == 0) return candidate;
        // As for bash, there is nothing in a directory that may not be searched.
        if (error == EACCES && ::access(candidate.c_str(), F_OK) == 0) worst = EACCES;
    }
    return failure("program", worst, name);
}

std::vector<ResourceLimit> process_limits(const Limits& asked) {
    const Limits limits = complete(asked);
    std::vector<ResourceLimit> all = {{RLIMIT_CORE, 0, 0}};
    if (const uint64_t files = limits.open_files.value_or(0); files > 0) {
        rlimit own{};
        ::getrlimit(RLIMIT_NOFILE, &own);
        const uint64_t count = std::min<uint64_t>(files, own.rlim_max);
        // Some programs need more, and raise the limit themselves, unless somebody has set it.
        constexpr uint64_t may_be_raised_to = 65536;
        const uint64_t most = asked.open_files ? count : std::max(count, may_be_raised_to);
        all.push_back({RLIMIT_NOFILE, count, std::min<uint64_t>(most, own.rlim_max)});
    }
    if (const uint64_t size = limits.file_size.value_or(0); size > 0)
        all.push_back({RLIMIT_FSIZE, size, size});
    // A second stop, in case the keeper does not come to look: the kernel counts whole seconds, and
    // each process for itself. It must not be the first stop, because the kernel would then end one
    // process of the tree, and nobody would learn of the limit. A process that survives SIGXCPU is
    // killed after the grace.
    if (const milliseconds cpu = cpu_of(limits); cpu.count() > 0) {
        constexpr uint64_t lead_of_the_keeper = 2;
        constexpr uint64_t grace = 5;
        const auto seconds =
            static_cast<uint64_t>(std::chrono::ceil<std::chrono::seconds>(cpu).count());
        const uint64_t soft = seconds + lead_of_the_keeper;
        all.push_back({RLIMIT_CPU, soft, soft + grace});
    }
    return all;
}

wire::TreeLimits tree_limits(const Limits& asked) {
    const Limits limits = complete(asked);
    constexpr uint64_t us_in_ms = 1000;
    wire::TreeLimits most{};
    most.cpu_us = static_cast<uint64_t>(cpu_of(limits).count()) * us_in_ms;
    most.memory = limits.memory.value_or(0);
    most.processes = limits.processes.value_or(0);
    most.disk = limits.disk.value_or(0);
    most.page_size = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
    return most;
}

}  // namespace husk::run
