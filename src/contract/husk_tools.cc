// The tools of Husk's own contract, as a model reads them. The description is the largest lever
// there is on what a model does: each sentence is there because without it models go wrong.
#include "contract/husk.h"

#include <algorithm>

#include "contract/ask_for.h"
#include "contract/modes.h"

namespace husk::contract {
namespace {

using schema::Field;
using schema::Type;

constexpr schema::Manner manner = {schema::Unknown::Refused, schema::Blank::NotGiven};

std::string roots_of(const Situation& situation) {
    std::string roots = situation.working_dir.string();
    for (const auto& root : situation.writable) roots += ", " + root.string();
    return roots;
}

std::string walls_of(const Situation& situation) {
    const std::string what_to_do =
        " This is enforced by the kernel: when something is refused, do not retry it and do not "
        "work around it; tell the user what you need.";
    switch (situation.mode) {
        case Mode::Open: break;
        case Mode::ReadOnly:
            return "Mode read-only: commands can read, but write nothing except /tmp and HOME, "
                   "which are private and go away. Secrets cannot be read. " +
                   sentence(situation.network) + what_to_do;
        case Mode::Workspace:
            return "Mode workspace: commands can write inside " + roots_of(situation) +
                   ", and in private copies that go away: /tmp, and dot files of HOME. .git/hooks "
                   "and shell start-up files are read-only; secrets cannot be read. " +
                   sentence(situation.network) + what_to_do;
    }
    return "Mode open: commands run with all rights of the user, on the user's files and network. "
           "Nothing stops a mistake.";
}

std::string seconds(milliseconds time) { return std::to_string(time.count() / 1000) + " s"; }

std::string description_of_bash(const Situation& situation) {
    const milliseconds usual = situation.default_timeout.value_or(husk_default_timeout);
    const milliseconds longest = situation.longest_timeout.value_or(husk_longest_timeout);
    return "Runs a command with bash -c and answers with its output and exit code. Working "
           "directory: " +
           situation.working_dir.string() +
           ".\n"
           "- Each call is a fresh shell: cd and variables do not carry over to the next call, "
           "files and running processes do. Use working_directory instead of cd.\n"
           "- There is no terminal and nobody answers prompts: use -y, --no-input, or stdin. "
           "stdout and stderr come merged, in their true order.\n"
           "- A timeout does NOT kill. After timeout_ms (" +
           seconds(usual) + " if not given, at most " + seconds(longest) +
           ") the command goes on, and the answer has status \"running\" and a shell_id: go on "
           "with "
           "bash_wait. Do not start the command again.\n"
           "- Servers, watchers and long jobs: run_in_background true, then bash_wait with "
           "until.match or until.port. No nohup, no trailing &, no sleep loops.\n"
           "- An exit code other than 0 is an answer, not a failure of this tool. Long output is "
           "cut in the middle; bash_output finds the rest by shell_id (grep, lines, since).\n"
           "- " +
           walls_of(situation);
}

Field shell_id() {
    return {.name = "shell_id",
            .description = "Of an answer that had one.",
            .required = true,
            .mistaken = {"id", "bash_id", "task_id", "pid"}};
}

std::vector<Field> limits() {
    const auto limit = [](const char* name) {
        return Field{.name = name, .type = Type::Integer, .least = 1};
    };
    return {limit("cpu_ms"),       limit("memory_bytes"),    limit("processes"),
            limit("open_files"),   limit("file_size_bytes"), limit("disk_bytes"),
            limit("output_bytes"), limit("idle_ms")};
}

std::vector<Field> further_fields_of_bash(bool shown) {
    return {
        {.name = "on_timeout",
         .description = "background (default): the command goes on; kill: its whole tree dies.",
         .shown = shown,
         .choices = {"background", "kill"}},
        {.name = "env",
         .type = Type::TextMap,
         .description = "Variables to set; null takes one out.",
         .shown = shown,
         .mistaken = {"environment"}},
        {.name = "mode",
         .description = "Narrower walls than the conversation has.",
         .shown = shown,
         .choices = {"read-only", "workspace", "open"}},
        {.name = "network",
         .description = "none, or some of the hosts that can be reached, with commas between.",
         .shown = shown},
        ask_for_field(shown),
        {.name = "leftovers",
         .description = "Of processes that outlive the command: adopt (default) keeps them as a "
                        "shell, kill ends them, wait waits for them.",
         .shown = shown,
         .choices = {"adopt", "kill", "wait"}},
        {.name = "streams",
         .description = "split: stderr apart from output.",
         .shown = shown,
         .choices = {"merged", "split"}},
        {.name = "limits",
         .type = Type::Object,
         .description = "What the command and all it starts may use.",
         .shown = shown,
         .fields = limits()},
        {.name = "max_output_bytes",
         .type = Type::Integer,
         .description = "Of output in the answer; 30000 if not given.",
         .shown = shown,
         .least = 1,
         .most = 1'000'000,
         .mistaken = {"max_output", "max_bytes"}},
    };
}

std::vector<Field> fields_of_bash(const Situation& situation) {
    std::vector<Field> fields = {
        {.name = "command",
         .description = "For bash -c.",
         .required = true,
         .mistaken = {"cmd", "script", "code", "input"}},
        {.name = "description",
         .description = "What it is for, in a few words, for the user.",
         .mistaken = {"reason", "explanation"}},
        {.name = "working_directory",
         .description = "Where to run it, if not in the working directory.",
         .mistaken = {"cwd", "workdir", "dir", "directory", "path", "workingDirectory"}},
        {.name = "timeout_ms",
         .type = Type::Integer,
         .description = "How long to wait for the end, in milliseconds.",
         .least = 1,
         .mistaken = {"timeout", "timeoutMs", "timeout_seconds", "timeout_s"}},
        {.name = "run_in_background",
         .type = Type::Flag,
         .description = "Answer as soon as it runs, with a shell_id.",
         .mistaken = {"background", "is_background", "detach"}},
        {.name = "stdin",
         .description = "Standard input; at its end if not given.",
         .mistaken = {"standard_input"}},
        {.name = "session",
         .description = "A name: commands of one session see each other's processes and localhost. "
                        "If not given, that of the conversation."},
    };
    const bool all = situation.arguments == Situation::Arguments::All;
    for (Field& field : further_fields_of_bash(all)) fields.push_back(std::move(field));
    return fields;
}

Json nullable(const char* type) { return {{"type", Json::array({type, "null"})}}; }

Json of_type(const char* type, const char* description) {
    return {{"type", type}, {"description", description}};
}

Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json object_of(Json properties) {
    return {{"type", "object"}, {"properties", std::move(properties)}};
}

Json made_answer_schema() {
    Json properties;
    properties["exit_code"] = nullable("integer");
    properties["exit_code"]["description"] = "128+S for a signal; null when there is none";
    properties["output"] = of_type("string", "stdout and stderr as they came");
    properties["stderr"] = of_type("string", "only with streams split");
    properties["status"] = of_type("string", "only if it has not exited by itself");
    properties["signal"] = {{"type", "string"}};
    properties["shell_id"] = of_type("string", "for bash_output, bash_wait and bash_kill");
    properties["cursor"] = of_type("integer", "where new output begins");
    properties["cut"] = object_of({{"bytes", {{"type", "integer"}}},
                                   {"lines", {{"type", "integer"}}},
                                   {"left_out", {{"type", "integer"}}}});
    properties["cut"]["description"] = "of all output, and bytes that are not shown here";
    properties["seconds"] = {{"type", "number"}};
    properties["limit"] = object_of({{"name", {{"type", "string"}}},
                                     {"value", {{"type", "integer"}}},
                                     {"peak", {{"type", "integer"}}}});
    properties["leftovers"] =
        list_of(object_of({{"pid", {{"type", "integer"}}}, {"name", {{"type", "string"}}}}));
    Json denial = object_of({{"operation", {{"type", "string"}}},
                             {"target", {{"type", "string"}}},
                             {"process", {{"type", "string"}}},
                             {"allow_with", {{"type", "string"}}},
                             {"reason", {{"type", "string"}}}});
    properties["denials"] = list_of(std::move(denial));
    properties["denials"]["description"] = "what the walls stopped; do not work around it";
    properties["denials_total"] = {{"type", "integer"}};
    properties["met"] = of_type("string", "what bash_wait waited for");
    properties["line"] = of_type("string", "that matched");
    properties["notes"] = list_of({{"type", "string"}});
    properties["error"] = of_type("string", "why nothing was done, and what to do");
    properties["verdict"] = object_of({{"rule", {{"type", "string"}}},
                                       {"reason", {{"type", "string"}}},
                                       {"instead", {{"type", "string"}}},
                                       {"allow_with", list_of({{"type", "string"}})}});
    Json schema = object_of(std::move(properties));
    schema["required"] = {"exit_code", "output"};
    schema["additionalProperties"] = false;
    return schema;
}

// It is long, and every call looks at its tool.
const Json& answer_schema() {
    static const Json schema = made_answer_schema();
    return schema;
}

Json list_schema() {
    Json shell = object_of({{"shell_id", {{"type", "string"}}},
                            {"status", {{"type", "string"}}},
                            {"exit_code", nullable("integer")},
                            {"command", {{"type", "string"}}},
                            {"seconds", {{"type", "number"}}},
                            {"leftovers", {{"type", "integer"}}}});
    shell["required"] = {"shell_id", "status", "exit_code", "command"};
    Json schema = object_of({{"shells", list_of(std::move(shell))},
                             {"total", {{"type", "integer"}}},
                             {"error", {{"type", "string"}}}});
    schema["required"] = {"shells"};
    schema["additionalProperties"] = false;
    return schema;
}

Tool bash(const Situation& situation) {
    return {.name = "bash",
            .title = "Run a command",
            .description = description_of_bash(situation),
            .takes = fields_of_bash(situation),
            .manner = manner,
            .gives = answer_schema(),
            .may_go_on = true};
}

Tool bash_output() {
    return {.name = "bash_output",
            .title = "Read the output of a shell",
            .description =
                "Reads the output of a running or finished shell. With shell_id alone: "
                "what is new since the last answer about it. To wait for something, "
                "use bash_wait; do not poll.",
            .takes = {shell_id(),
                      {.name = "since",
                       .type = Type::Integer,
                       .description = "From this byte on; cursor of an answer is one.",
                       .least = 0,
                       .mistaken = {"offset", "cursor"}},
                      {.name = "lines",
                       .type = Type::Integer,
                       .description = "The last so many lines.",
                       .least = 0,
                       .mistaken = {"tail", "n"}},
                      {.name = "grep",
                       .description = "Lines of the whole output that match this RE2 expression, "
                                      "with their numbers.",
                       .mistaken = {"filter", "pattern", "match"}},
                      {.name = "max_bytes",
                       .type = Type::Integer,
                       .description = "30000 if not given.",
                       .least = 1,
                       .most = 1'000'000,
                       .mistaken = {"max_output_bytes", "limit"}}},
            .manner = manner,
            .gives = answer_schema(),
            .only_reads = true};
}

Tool bash_wait() {
    return {.name = "bash_wait",
            .title = "Wait for a shell",
            .description =
                "Waits until a shell has ended, or until the first of what until names; "
                "met says which it was (exit, match, port, file, quiet, timeout). "
                "Answers with the output that is new. One call instead of polling.",
            .takes = {shell_id(),
                      {.name = "until",
                       .type = Type::Object,
                       .description = "If not given: the end of the command.",
                       .fields = {{.name = "match",
                                   .description = "A line of output matches this RE2 expression."},
                                  {.name = "exclude",
                                   .description = "Lines that match this one do not count."},
                                  {.name = "port",
                                   .type = Type::Integer,
                                   .description = "Something listens on this TCP port.",
                                   .least = 1,
                                   .most = 65535},
                                  {.name = "file", .description = "This file exists."},
                                  {.name = "quiet_ms",
                                   .type = Type::Integer,
                                   .description = "No output for so long.",
                                   .least = 1}}},
                      {.name = "timeout_ms",
                       .type = Type::Integer,
                       .description = "How long to wait; 50000 if not given. The command is not "
                                      "stopped by it.",
                       .least = 1,
                       .mistaken = {"timeout", "timeoutMs"}}},
            .manner = manner,
            .gives = answer_schema(),
            .only_reads = true};
}

Tool bash_kill() {
    return {.name = "bash_kill",
            .title = "Stop a shell",
            .description =
                "Stops a shell with everything that it has started: the signal, and "
                "after patience_ms SIGKILL. One that has ended already is no error.",
            .takes = {shell_id(),
                      {.name = "signal", .description = "TERM if not given."},
                      {.name = "patience_ms",
                       .type = Type::Integer,
                       .description = "2000 if not given.",
                       .least = 1,
                       .mistaken = {"patience", "timeout_ms"}}},
            .manner = manner,
            .gives = answer_schema()};
}

Tool bash_list() {
    return {.name = "bash_list",
            .title = "List shells",
            .description = "Your shells, living ones first, at most 20.",
            .takes = {},
            .manner = manner,
            .gives = list_schema(),
            .only_reads = true};
}

}  // namespace

std::vector<Tool> husk_tools(const Situation& situation) {
    return {bash(situation), bash_output(), bash_wait(), bash_kill(), bash_list()};
}

const Tool& husk_tool(std::string_view name, Situation::Arguments arguments) {
    static const std::vector<Tool> usual = husk_tools({});
    static const std::vector<Tool> all = husk_tools({.arguments = Situation::Arguments::All});
    const bool shows_all = arguments == Situation::Arguments::All;
    return *std::ranges::find(shows_all ? all : usual, name, &Tool::name);
}

}  // namespace husk::contract
