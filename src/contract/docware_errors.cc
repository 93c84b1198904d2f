#include "contract/docware_errors.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <initializer_list>

#include "base/utf8.h"

namespace husk::contract {
namespace {

using schema::Json;
using enum BashErrorType;

enum class About : uint8_t { Security, Other };

struct Kind {
    BashErrorType type;
    std::string_view word;
    bool recoverable;  // the same agent can do something about it
    About about;
    std::array<std::string_view, 3> suggestions;
};

constexpr std::array<Kind, bash_error_types> kinds = {{
    {SecurityValidationFailed,
     "security_validation_failed",
     false,
     About::Security,
     {"Read error.details: it names the check and what it found",
      "Do the same by a command that stays inside the working directory and needs no more rights",
      "Do not look for a way around the check; ask the user"}},
    {CommandNotAllowed,
     "command_not_allowed",
     false,
     About::Security,
     {"Use a command that the whitelist or the rules allow", "Ask the user to allow this command"}},
    {PermissionDenied,
     "permission_denied",
     false,
     About::Security,
     {"Check the mode and the owner of the file",
      "Ask the user to confirm the command or to run it"}},
    {SandboxCreationFailed,
     "sandbox_creation_failed",
     false,
     About::Security,
     {"`husk doctor` tells what this machine cannot enforce",
      "Ask the user to mend that, or to allow commands without a sandbox"}},
    {CommandNotFound,
     "command_not_found",
     true,
     About::Other,
     {"Check the spelling, and that the program is installed",
      "Without enable_shell_features `command` is one program: its arguments belong into `args`",
      "Shell syntax and builtins need enable_shell_features: true"}},
    {ExecutionTimeout,
     "execution_timeout",
     true,
     About::Other,
     {"Give a larger timeout", "Do less in one command"}},
    {ResourceLimitExceeded,
     "resource_limit_exceeded",
     true,
     About::Other,
     {"Do less at a time: fewer jobs, smaller inputs, output into a file",
      "Give a larger limit, if the configuration has room for it"}},
    {ProcessTerminated,
     "process_terminated",
     true,
     About::Other,
     {"Look at stdout and stderr for what happened before",
      "Run it again only if it is clear who ended it"}},
    {WorkingDirectoryInvalid,
     "working_directory_invalid",
     true,
     About::Other,
     {"Give a directory that exists as cwd", "Leave cwd out to start in the workspace"}},
    {EnvironmentSetupFailed,
     "environment_setup_failed",
     true,
     About::Other,
     {"Check the names and the sizes of env and args", "Put long values into a file"}},
    {PathNotAccessible,
     "path_not_accessible",
     true,
     About::Other,
     {"Use a path that this user may enter", "Ask the user for access"}},
    {InsufficientResources,
     "insufficient_resources",
     true,
     About::Other,
     {"Wait until other commands have ended, then try again",
      "Free memory, processes or disk space"}},
    {SystemError,
     "system_error",
     false,
     About::Other,
     {"Read the message: it names the step that failed", "Tell the user"}},
    {IoError,
     "io_error",
     true,
     About::Other,
     {"Check that the disk is healthy and not full", "Try again"}},
    {NetworkError,
     "network_error",
     true,
     About::Other,
     {"Check that the host is one that may be reached", "Try again later"}},
    {InvalidConfiguration,
     "invalid_configuration",
     true,
     About::Other,
     {"Read the message: it names the argument and what was expected"}},
    {MissingDependencies,
     "missing_dependencies",
     false,
     About::Other,
     {"Install what the message names", "Extend PATH"}},
}};

// The table is in the order of the enumeration.
constexpr bool in_order() {
    for (size_t i = 0; i < kinds.size(); ++i)
        if (static_cast<size_t>(kinds[i].type) != i) return false;
    return true;
}
static_assert(in_order());

const Kind& kind_of(BashErrorType type) { return kinds[static_cast<size_t>(type)]; }

std::string_view level_of(const Kind& kind) {
    if (kind.about != About::Security) return "NONE";
    if (kind.type == SecurityValidationFailed || kind.type == CommandNotAllowed) return "HIGH";
    return kind.type == PermissionDenied ? "MEDIUM" : "LOW";
}

// A string without its quotes, a number as it is.
std::string shown(const Json& details, const char* name) {
    const auto found = details.find(name);
    if (found == details.end()) return "";
    return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string user_message(const BashError& error) {
    const auto of = [&](const char* name) { return shown(error.details, name); };
    switch (error.type) {
        case CommandNotAllowed:
            return "Command '" + of("command") + "' is not allowed by security policy";
        case PermissionDenied: return "Permission denied: Cannot execute '" + of("command") + "'";
        case ExecutionTimeout: return "Command execution timed out after " + of("timeout") + "ms";
        case ResourceLimitExceeded:
            return "Resource limit exceeded: " + of("resource") + " (" + of("current") + " > " +
                   of("limit") + ")";
        case CommandNotFound: return "Command not found: '" + of("command") + "'";
        default: return error.message;
    }
}

bool is_one_of(int code, std::initializer_list<int> codes) {
    return std::ranges::find(codes, code) != codes.end();
}

}  // namespace

std::string_view word(BashErrorType type) { return kind_of(type).word; }

Json error_json(const BashError& error) {
    const Kind& kind = kind_of(error.type);
    Json suggestions = Json::array();
    for (const std::string_view suggestion : kind.suggestions)
        if (!suggestion.empty()) suggestions.push_back(suggestion);
    return {{"type", kind.word},
            {"message", text::to_utf8(error.message)},
            {"details", error.details},
            {"recovery_suggestions", std::move(suggestions)},
            {"recoverable", kind.recoverable},
            {"securityRelated", kind.about == About::Security},
            {"securityLevel", level_of(kind)},
            {"userMessage", text::to_utf8(user_message(error))}};
}

BashErrorType type_of(const Error& cause) {
    const std::string& step = cause.step;
    const int code = cause.code;
    if (step == "bash") return MissingDependencies;
    if (step == "program" || step == "execute") {
        if (is_one_of(code, {ENOENT, ENOTDIR})) return CommandNotFound;
        if (is_one_of(code, {EACCES, EPERM})) return PermissionDenied;
    }
    if (step.ends_with("working directory"))
        return code == EACCES ? PathNotAccessible : WorkingDirectoryInvalid;
    if (step == "plan" || step == "command" || step == "standard input")
        return EnvironmentSetupFailed;
    if (step == "mode" || step == "workspace" || step == "HUSK_PRETEND" ||
        step.starts_with("walls") || step == "set the limits")
        return SandboxCreationFailed;
    if (step == "network" || step.contains("proxy") ||
        is_one_of(code, {ENETUNREACH, EHOSTUNREACH, ENETDOWN, ECONNREFUSED}))
        return NetworkError;
    if (is_one_of(code, {EAGAIN, ENOMEM, EMFILE, ENFILE, ENOSPC, EDQUOT}))
        return InsufficientResources;
    if (step == "start" && code == 0) return InsufficientResources;  // no keeper took it
    if (is_one_of(code, {EIO, EROFS, ENXIO})) return IoError;
    if (is_one_of(code, {EACCES, EPERM})) return PathNotAccessible;
    return SystemError;
}

}  // namespace husk::contract
