// The tool of the contract `docware`, as a model reads it, and the shape of its results.
#include "contract/docware.h"
#include "contract/modes.h"

namespace husk::contract {
namespace {

using schema::Field;
using schema::Type;

constexpr schema::Manner manner = {schema::Unknown::Ignored, schema::Blank::Meant};

std::string number(uint64_t value) { return std::to_string(value); }

std::string description_of(const Situation& situation) {
    const DocwareSettings& settings = situation.docware;
    const std::string walls =
        situation.mode == Mode::Open
            ? "Commands run without a sandbox unless enable_sandbox is true."
            : "Commands run in a sandbox: they write only below the working directory of the "
              "conversation and in a private /tmp. " +
                  sentence(situation.network);
    return "Executes a command in a controlled environment and returns a structured result. "
           "Working directory: " +
           situation.working_dir.string() +
           ".\n"
           "- By default no shell is involved: command is one program, args are its arguments, and "
           "nothing in them is interpreted. Pipes, redirections, variables and builtins need "
           "enable_shell_features: true; then command is given to bash, with args appended as "
           "quoted words.\n"
           "- The environment is empty but for PATH, HOME (the working directory), TMPDIR and what "
           "env gives.\n"
           "- Times are milliseconds, sizes are bytes. The timeout is " +
           number(static_cast<uint64_t>(settings.default_timeout.count())) +
           " unless given; then everything that the command has started is ended.\n"
           "- success is true when the command ran to its own end; look at exit_code too. "
           "Otherwise error has a type, a message and what to do about it.\n"
           "- Commands are checked before they run. What a check or the sandbox refuses is not to "
           "be worked around: tell the user what is needed.\n"
           "- " +
           walls;
}

Field flag(const char* name, const char* description, bool by_default) {
    return {.name = name, .type = Type::Flag, .description = description, .by_default = by_default};
}

Field limit(const char* name, const std::string& description) {
    return {.name = name, .type = Type::Integer, .description = description, .least = 1};
}

// A sandbox enforces the list. Without a sandbox, Husk only compares the text of the command with
// it.
std::string allowed_paths_of(const Situation& situation) {
    const std::string list =
        "Directories. If given, every path in the command and cwd have to lie in one of them; an "
        "empty list allows none. ";
    if (situation.mode == Mode::Open)
        return list +
               "Only the text is checked, because commands run without a sandbox here: a script or "
               "a symbolic link can still open other files. With enable_sandbox: true the sandbox "
               "enforces the list.";
    return list +
           "The sandbox enforces it: the command can open no files but those of these directories, "
           "of /usr, /etc and other places of the system to read, and of its private /tmp.";
}

std::vector<Field> fields_of(const Situation& situation) {
    const DocwareSettings& settings = situation.docware;
    return {
        {.name = "command",
         .description = "The program to run; with enable_shell_features a command for bash.",
         .required = true},
        {.name = "args", .type = Type::TextList, .description = "Its arguments, as they are."},
        {.name = "description", .description = "What the command is for; recorded."},
        {.name = "cwd", .description = "Working directory."},
        {.name = "env", .type = Type::TextMap, .description = "Environment variables to set."},
        limit("timeout", "Milliseconds until the command is ended; " +
                             number(static_cast<uint64_t>(settings.default_timeout.count())) +
                             " if not given."),
        flag("capture_output", "Whether stdout and stderr are in the result.", true),
        flag("stream_output", "Whether records of the output as it came are given too.", false),
        limit("max_output_size", "Bytes of output after which the command is ended; at most " +
                                     number(settings.max_output_size) + "."),
        {.name = "allowed_commands",
         .type = Type::TextList,
         .description =
             "If given, every command has to be one of these; an empty list allows none."},
        {.name = "allowed_paths",
         .type = Type::TextList,
         .description = allowed_paths_of(situation)},
        flag("require_confirmation", "Ask the user about a dangerous command.", false),
        limit("max_memory", "Bytes; at most " + number(settings.max_memory) + "."),
        limit("max_cpu_usage",
              "Percent of all processors; at most " + number(settings.max_cpu_usage) + "."),
        limit("max_execution_time", "Milliseconds."),
        limit("max_file_operations",
              "Not enforced, because Husk does not count what a command does to files; the result "
              "has a note that says so."),
        {.name = "enable_sandbox",
         .type = Type::Flag,
         .description = "false is refused unless the configuration allows it.",
         .by_default = situation.mode != Mode::Open},
        flag("preserve_environment",
             "Start from the environment of the server; true is refused unless the configuration "
             "allows it.",
             settings.preserves_environment),
        flag("enable_shell_features", "Give the command to bash.", false),
    };
}

// ---- what comes back

Json type(const char* name) { return {{"type", name}}; }
Json or_null(const char* name) { return {{"type", Json::array({name, "null"})}}; }
Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json object_of(Json properties, Json required) {
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)}};
}

Json one_of(std::initializer_list<const char*> words) {
    Json all = Json::array();
    for (const char* each : words) all.push_back(each);
    return {{"type", "string"}, {"enum", std::move(all)}};
}

Json error_schema() {
    Json types = Json::array();
    for (size_t i = 0; i < bash_error_types; ++i)
        types.push_back(word(static_cast<BashErrorType>(i)));
    return object_of({{"type", {{"type", "string"}, {"enum", std::move(types)}}},
                      {"message", type("string")},
                      {"details", type("object")},
                      {"recovery_suggestions", list_of(type("string"))},
                      {"recoverable", type("boolean")},
                      {"securityRelated", type("boolean")},
                      {"securityLevel", one_of({"HIGH", "MEDIUM", "LOW", "NONE"})},
                      {"userMessage", type("string")}},
                     {"type", "message"});
}

Json security_schema() {
    return object_of({{"validation_passed", type("boolean")},
                      {"risk_level", one_of({"low", "medium", "high", "critical"})},
                      {"blocked_operations", list_of(type("string"))},
                      {"sandbox_used", type("boolean")},
                      {"confirmed", type("boolean")},
                      {"threat_analysis", type("object")}},
                     {"validation_passed", "risk_level", "sandbox_used"});
}

}  // namespace

Tool docware_tool(const Situation& situation) {
    return {.name = "Bash",
            .title = "Execute a command",
            .description = description_of(situation),
            .takes = fields_of(situation),
            .manner = manner,
            .gives = docware_output_schema()};
}

Json docware_output_schema() {
    const Json text_map = {{"type", "object"}, {"additionalProperties", type("string")}};
    const Json execution = object_of(
        {{"command", type("string")},
         {"args", list_of(type("string"))},
         {"execution_time", or_null("number")},
         {"working_directory", type("string")},
         {"environment_variables", text_map}},
        {"command", "args", "execution_time", "working_directory", "environment_variables"});
    Json figures = Json::object();
    Json names = Json::array();
    for (const char* name : {"max_memory_used", "cpu_time", "wall_time", "disk_io_read",
                             "disk_io_write", "file_operations"}) {
        figures[name] = or_null("number");
        names.push_back(name);
    }
    figures["file_operations"]["description"] =
        "Always null: Husk does not count what a command does to files.";
    const Json process = object_of({{"pid", or_null("integer")},
                                    {"parent_pid", or_null("integer")},
                                    {"child_processes", list_of(type("integer"))},
                                    {"signal", type("string")}},
                                   {"pid", "parent_pid"});
    const Json sandbox = object_of({{"sandboxCreationTime", or_null("number")},
                                    {"sandboxOverhead", or_null("number")},
                                    {"isolationEffectiveness", or_null("number")}},
                                   Json::array());
    const Json file = object_of(
        {{"path", type("string")},
         {"operation", one_of({"read", "write", "append", "delete"})},
         {"state", one_of({"created", "changed", "removed", "unchanged", "missing", "unknown"})}},
        {"path", "operation", "state"});
    const Json debug = object_of({{"command_parsing", type("object")},
                                  {"security_checks", list_of(type("object"))},
                                  {"execution_timeline", list_of(type("object"))},
                                  {"sandboxStats", sandbox},
                                  {"file_state", list_of(file)}},
                                 Json::array());
    return object_of({{"success", type("boolean")},
                      {"exit_code", or_null("integer")},
                      {"stdout", type("string")},
                      {"stderr", type("string")},
                      {"execution_info", execution},
                      {"resource_usage", object_of(std::move(figures), std::move(names))},
                      {"security_info", security_schema()},
                      {"process_info", process},
                      {"error", error_schema()},
                      {"debug_info", debug},
                      {"notes", list_of(type("string"))}},
                     {"success", "exit_code", "stdout", "stderr", "execution_info",
                      "resource_usage", "security_info", "process_info"});
}

}  // namespace husk::contract
