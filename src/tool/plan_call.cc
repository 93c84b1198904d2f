#include "tool/plan_call.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "confine/checks.h"
#include "confine/globs.h"
#include "confine/outside_sockets.h"
#include "keeper/wire.h"
#include "request/environment.h"
#include "tool/shared_cache.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;

// execve takes no longer argument.
constexpr size_t longest_command = 128 * 1024 - 1;

Result<void> check_command(const std::string& command) {
    if (command.find('\0') != std::string::npos)
        return failure("command", 0, "it contains a NUL byte, which no shell can read");
    if (command.size() > longest_command) {
        return failure("command", 0,
                       "it has " + std::to_string(command.size()) + " bytes and the kernel takes " +
                           std::to_string(longest_command) + "; write it to a file and run that");
    }
    return {};
}

bool has_nul(const std::string& text) { return text.contains('\0'); }

Result<void> check_words(const Request& request) {
    // Variables that come from elsewhere are counted when the call is planned.
    if (request.argv.size() + request.env.size() > wire::max_strings)
        return failure("command", E2BIG, "more than 8192 arguments and environment variables");
    const auto wrong = [](const auto& variable) {
        return has_nul(variable.first) || has_nul(variable.second.value_or(""));
    };
    if (std::ranges::any_of(request.argv, has_nul) || std::ranges::any_of(request.env, wrong))
        return failure("command", EINVAL, "an argument or variable contains a NUL byte");
    return {};
}

// Where the program of `argv` is looked for: as the command would. It is the command's own
// program, and runs behind the command's walls.
std::string path_of(const std::map<std::string, std::optional<std::string>>& env,
                    const confine::Wanted& wanted) {
    const char* own = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
    std::string path = own == nullptr ? "" : own;
    if (const auto given = env.find("PATH"); given != env.end()) path = given->second.value_or("");
    return wanted.closed() ? absolute_entries(path) : path;
}

std::vector<fs::path> in_workspace(const fs::path& workspace, std::vector<fs::path> paths) {
    for (fs::path& path : paths)
        if (!path.empty()) path = workspace / path;
    return paths;
}

// What the session is asked for. The root that may be written is the conversation's, never the
// call's.
Result<confine::Wanted> walls_of(const ToolContext& context) {
    CHECK(confine::check_network(context.mode, context.network));
    confine::Wanted wanted;
    wanted.mode = context.mode;
    if (!wanted.closed() && context.protect.empty()) return wanted;
    fs::path workspace = context.workspace.empty() ? context.working_dir : context.workspace;
    if (!workspace.is_absolute()) {
        const fs::path own = TRY(own_working_dir());
        workspace = workspace.empty() ? own : own / workspace;
    }
    wanted.protect = in_workspace(workspace, context.protect);
    CHECK(confine::check_globs(wanted.protect));
    if (!wanted.closed()) return wanted;
    wanted.network = context.network;
    wanted.workspace = workspace;
    wanted.writable = in_workspace(workspace, context.writable);
    if (has_shared_cache(context)) wanted.writable.push_back(context.cache);
    wanted.readable = in_workspace(workspace, context.readable);
    wanted.sockets = in_workspace(workspace, context.sockets);
    wanted.devices = context.devices;
    wanted.publish = context.publish;
    wanted.scratch_bytes = context.scratch_bytes;
    if (context.allowed_paths) wanted.allowed = in_workspace(workspace, *context.allowed_paths);
    wanted.watch_denials = context.watch_denials;
    wanted.scratch = context.scratch;
    wanted.accept = context.accept;
    wanted.wide_workspace = context.wide_workspace;
    wanted.same_workspace = context.same_workspace;
    wanted.home = confine::usable_home(std::getenv("HOME"));  // NOLINT(concurrency-mt-unsafe)
    return wanted;
}

}  // namespace

Result<void> check_request(const Request& request) {
    if (request.argv.empty()) CHECK(check_command(request.command));
    CHECK(check_words(request));
    return check_working_dir(request.working_dir);
}

Result<void> check_walls(const ToolContext& context, const Settings& settings) {
    CHECK(make_shared_cache(context));
    confine::Wanted wanted = TRY(walls_of(context));
    if (!wanted.closed()) {
        CHECK(confine::open_working_directory(context.workspace));
        return {};
    }
    wanted.state = settings.state.empty() ? run::default_state_path() : settings.state;
    wanted.machine = confine::Machine::assumed();
    wanted = confine::resolved(std::move(wanted));
    CHECK(confine::check_machine(wanted));
    CHECK(confine::check_workspace(wanted));
    return confine::check_sockets(wanted);
}

Result<CallPlan> plan_call(const Request& request, const ToolContext& context,
                           const Settings& settings, unsigned umask) {
    CHECK(check_request(request));
    CallPlan plan;
    plan.working_dir = TRY(working_dir_of(request, context));
    plan.wanted = TRY(walls_of(context));
    plan.input = request.input;
    plan.max_output_bytes = request.max_output_bytes;
    plan.early_end = settings.early_end;
    plan.note.command = request.command;
    plan.note.description = request.description;
    plan.note.working_dir = plan.working_dir.string();
    if (plan.wanted.closed()) {
        plan.note.workspace = plan.wanted.workspace.string();
        for (const fs::path& root : plan.wanted.writable)
            plan.note.writable.push_back(root.string());
    }
    plan.note.background = request.background;
    plan.note.timeout = request.timeout;
    plan.note.on_timeout = request.on_timeout;
    plan.note.leftovers = request.leftovers;
    plan.note.streams = request.streams;
    plan.note.caller = context.caller;
    plan.note.goes_with_session = request.log_goes_with_session;

    run::LaunchPlan& launch = plan.launch;
    if (request.argv.empty()) {
        launch.program = TRY(run::find_bash());
        // --norc: a bash that finds itself under sshd would read ~/.bashrc even for -c.
        launch.argv = {"bash", "--norc", "-c", "--", request.command};
    } else {
        launch.program = TRY(run::find_program(
            request.argv.front(), path_of(request.env, plan.wanted), plan.working_dir));
        launch.argv = request.argv;
    }
    plan.env = request.env;
    if (has_shared_cache(context)) point_to_cache(context.cache, plan.env);
    launch.background = request.background;
    launch.streams = request.streams;
    launch.leftovers = request.leftovers;
    launch.on_timeout = request.on_timeout;
    launch.timeout = request.timeout;
    launch.idle_timeout = request.idle_timeout;
    launch.max_lifetime = settings.max_lifetime;
    launch.output_limit = request.output_limit;
    launch.keep_output_bytes = request.keep_output_bytes;
    launch.stop = request.stop;
    launch.umask = umask;
    launch.limits = run::process_limits(request.limits);
    launch.tree_limits = run::tree_limits(request.limits);
    launch.ceilings = run::plan_ceilings(request.limits);
    launch.last_line = request.last_line;
    return plan;
}

}  // namespace husk::tool
