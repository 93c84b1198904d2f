// The contract `docware`: one tool, `Bash`, that checks what it is given, runs it with or without a
// shell, and answers with everything that was measured. docs/contracts/docware.md.
#include "contract/docware.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/text.h"
#include "base/units.h"
#include "base/utf8.h"
#include "contract/shared.h"
#include "decide/files.h"
#include "request/environment.h"

namespace husk::contract {
namespace {

using enum BashErrorType;
using schema::flag_of;
using schema::integer_of;
using schema::text_of;
using schema::texts_of;

constexpr milliseconds patience_after_breach{5'000};

// Those whose findings the layers look at. What is a matter of taste, as in `git`, is not theirs.
constexpr auto own_packs = std::to_array<std::string_view>(
    {"rm", "destroyers", "system", "escalation", "exfiltration", "injection", "administration"});
const std::set<std::string> packs_of_layers(own_packs.begin(), own_packs.end());

bool flag_or(const Json& arguments, const char* name, bool otherwise) {
    return arguments.contains(name) ? flag_of(arguments, name) : otherwise;
}

std::string inside(const std::filesystem::path& directory, const std::string& path) {
    return ((directory / path) / "").lexically_normal().parent_path().string();
}

void append(std::vector<std::string>& list, std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(list));
}

bool preserves_environment(const Json& arguments, const Situation& situation) {
    return flag_or(arguments, "preserve_environment", situation.docware.preserves_environment);
}

DocwareCall call_of(const Json& arguments, const Situation& situation) {
    DocwareCall call;
    call.command = text_of(arguments, "command");
    call.args = texts_of(arguments, "args");
    call.shell = flag_of(arguments, "enable_shell_features");
    call.line = call.shell ? call.command : text::quote(call.command);
    if (!call.args.empty()) call.line += " " + text::quote_words(call.args);
    call.working_dir = inside(situation.working_dir, text_of(arguments, "cwd"));
    if (const auto env = arguments.find("env"); env != arguments.end())
        for (const auto& [name, value] : env->items())
            call.env[name] =
                value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
    call.confirmable = flag_of(arguments, "require_confirmation");
    for (const char* name : {"max_memory", "max_cpu_usage", "max_output_size"})
        if (arguments.contains(name)) call.resources[name] = arguments[name];
    if (arguments.contains("allowed_commands"))
        call.whitelist = texts_of(arguments, "allowed_commands");
    if (arguments.contains("allowed_paths")) {
        call.allowed_paths.emplace();
        for (const std::string& path : texts_of(arguments, "allowed_paths"))
            call.allowed_paths->push_back(inside(situation.working_dir, path));
    }
    return call;
}

// Asking for less than the configuration has is fine; asking for more is refused.
std::optional<Validation> widening(const Json& arguments, const Situation& situation) {
    const auto refused = [](const std::string& what) {
        return Validation{.outcome = Validation::Outcome::Refused,
                          .reason = what + " is not allowed by the configuration",
                          .blocked_by = "configuration_check",
                          .risk = "high",
                          .blocked = {"configuration_check"},
                          .checks = {}};
    };
    if (preserves_environment(arguments, situation) && !situation.docware.may_preserve_environment)
        return refused("preserve_environment: true");
    if (!flag_or(arguments, "enable_sandbox", true) && situation.mode != Mode::Open)
        return refused("enable_sandbox: false");
    if (flag_of(arguments, "stream_output") && !situation.docware.streaming)
        return refused("stream_output: true");
    return std::nullopt;
}

Verdict verdict_of(const Validation& validation) {
    Verdict verdict;
    verdict.decision = validation.outcome == Validation::Outcome::Asked ? "ask" : "deny";
    verdict.rule = validation.blocked_by;
    verdict.where = "built in: docware";
    verdict.reason = validation.reason;
    verdict.risk = validation.risk;
    return verdict;
}

void decode_limits(const Json& arguments, const Situation& situation, Run& run) {
    const DocwareSettings& settings = situation.docware;
    const auto amount = [&](const char* name, uint64_t otherwise) {
        const auto asked = integer_of(arguments, name);
        return asked ? static_cast<uint64_t>(*asked) : otherwise;
    };
    const auto duration = [&](const char* name, milliseconds otherwise) {
        const auto asked = integer_of(arguments, name);
        return asked ? std::min(milliseconds(*asked), text::longest_duration) : otherwise;
    };
    Request& request = run.request;
    const milliseconds usual = situation.default_timeout.value_or(settings.default_timeout);
    milliseconds timeout = duration("timeout", usual);
    if (situation.longest_timeout && timeout > *situation.longest_timeout) {
        timeout = *situation.longest_timeout;
        run.notes.push_back("timeout is at most " + std::to_string(timeout.count()) +
                            ", so that was taken");
    }
    // Both end the command, and the ending has to say which did.
    const bool by_time = arguments.contains("max_execution_time");
    const milliseconds longest = duration("max_execution_time", timeout);
    if (by_time && longest < timeout) run.time_limit = "execution_time";
    request.timeout = std::min(timeout, longest);
    request.limits.memory = amount("max_memory", settings.max_memory);
    request.limits.processes = settings.max_processes;
    request.limits.open_files = settings.max_file_descriptors;
    request.limits.disk = settings.max_disk_write;
    request.limits.cpu_percent = amount("max_cpu_usage", settings.max_cpu_usage);
    const uint64_t output = amount("max_output_size", settings.max_output_size);
    request.output_limit = output;
    run.portion = {.whole = output, .head = output};
    run.watch = Watch{.most_cpu_percent = request.limits.cpu_percent,
                      .output = flag_of(arguments, "stream_output")};
    if (arguments.contains("max_file_operations"))
        run.notes.emplace_back(
            "max_file_operations is not enforced: Husk does not count what a command does to "
            "files; allowed_paths and the sandbox limit which files it can reach");
}

// The engine gives every command a PATH of absolute entries; the caller has to know.
void tell_relative_path(const DocwareCall& call, Run& run) {
    const auto path = call.env.find("PATH");
    if (path == call.env.end()) return;
    const std::string kept = absolute_entries(path->second.value_or(""));
    if (kept == path->second) return;
    const std::string why =
        path->second
            ? "PATH of env has entries that are empty or relative; they were left out, and "
            : "env takes PATH out; bash would then search the working directory, so ";
    run.notes.push_back(why + "PATH is " + text::to_utf8(kept));
}

void decode_environment(const Json& arguments, const DocwareCall& call, const Situation& situation,
                        Run& run) {
    const Mode mode = run.mode.value_or(situation.mode);
    Request& request = run.request;
    request.env = call.env;
    tell_relative_path(call, run);
    const bool preserves = preserves_environment(arguments, situation);
    run.environment = preserves ? Environment::Inherited : Environment::FromNothing;
    run.variables = {{"HOME", call.working_dir}, {"HISTFILE", "/dev/null"}, {"HISTSIZE", "0"}};
    if (request.env.contains("TMPDIR")) return;
    // Behind walls /tmp belongs to the conversation alone.
    if (mode != Mode::Open) run.variables["TMPDIR"] = "/tmp";
    run.private_tmp = mode == Mode::Open;
}

// The walls keep to both lists. They stay apart, because links count differently in them: a call
// gains nothing by a link, but a command could lead the configuration elsewhere by one.
void decode_paths(const DocwareCall& call, const Situation& situation, Run& run) {
    run.allowed_paths = call.allowed_paths;
    run.configured_paths = situation.docware.allowed_paths;
    if ((run.allowed_paths || run.configured_paths) &&
        run.mode.value_or(situation.mode) == Mode::Open)
        run.notes.emplace_back(
            "allowed_paths: only the text of the command was checked, because commands run without "
            "a sandbox here (mode open)");
}

std::optional<std::string> wrong_name(const DocwareCall& call) {
    for (const auto& [name, value] : call.env)
        if (name.empty() || name.contains('='))
            return "\"" + name + "\" cannot be the name of an environment variable";
    return std::nullopt;
}

void keep_for_answer(const DocwareCall& call, const parse::Script& script,
                     const std::vector<Validation>& validations, Run& run) {
    Json args = Json::array();
    for (const std::string& arg : call.args) args.push_back(text::to_utf8(arg));
    // The first that refuses, else the one of the layers.
    const Validation& decisive = validations.front();
    Json checks = Json::array();
    for (const Validation& one : validations) checks.push_back(validation_json(one));
    if (decisive.outcome != Validation::Outcome::Passed) run.verdict = verdict_of(decisive);
    run.kept["command"] = text::to_utf8(call.command);
    run.kept["args"] = std::move(args);
    run.kept["working_directory"] = text::to_utf8(call.working_dir);
    run.kept["blocked"] = decisive.blocked;
    run.kept["risk"] = decisive.risk;
    run.kept["parsing"] = parsed_command(call, script, decisive.risk);
    run.kept["checks"] = std::move(checks);
}

void keep_threats(Json analysis, Run& run) {
    for (const Json& threat : analysis["threats"]) {
        const auto rule = threat["ruleId"].get<std::string>();
        if (std::ranges::find(run.threats, rule) == run.threats.end()) run.threats.push_back(rule);
    }
    run.kept["threats"] = std::move(analysis);
}

// Of a script with very many only the first.
void keep_files(std::vector<decide::NamedFile> files, Run& run) {
    constexpr size_t most = 64;
    if (files.size() > most) {
        run.notes.push_back("file_state has the first " + std::to_string(most) + " of " +
                            std::to_string(files.size()) + " files that the command names");
        files.resize(most);
    }
    for (decide::NamedFile& file : files)
        run.files.push_back({std::move(file.path), std::move(file.operation)});
}

// What the checks cannot read, they cannot let pass. The kernel takes no such argument either.
std::optional<std::string> too_long(const DocwareCall& call) {
    const size_t most = parse::Limits{}.bytes;
    if (call.line.size() <= most) return std::nullopt;
    return "the command and its arguments have " + std::to_string(call.line.size()) +
           " bytes, and Husk checks at most " + std::to_string(most) +
           "; put long values into a file";
}

// A call that is refused because of a NUL byte, in a form that can be parsed, judged and shown. It
// is never run.
void make_showable(DocwareCall& call, const Situation& situation) {
    const auto show = [](std::string& text) {
        for (size_t at = 0; (at = text.find('\0', at)) != std::string::npos;)
            text.replace(at, 1, "\\0");
    };
    show(call.command);
    show(call.line);
    std::ranges::for_each(call.args, show);
    call.working_dir = situation.working_dir;
    call.env.clear();
    call.confirmable = false;
}

std::vector<Tool> tools(const Situation& situation) { return {docware_tool(situation)}; }

std::expected<Action, Answer> decode(std::string_view, std::string_view text,
                                     const Situation& situation) {
    const Tool tool = docware_tool(situation);
    const auto arguments = schema::read_arguments(text, tool.takes, tool.manner);
    const auto invalid = [](BashErrorType type, std::string message) {
        return std::unexpected(docware_failure({type, std::move(message)}));
    };
    if (!arguments) return invalid(InvalidConfiguration, "Invalid input: " + arguments.error());
    DocwareCall call = call_of(*arguments, situation);
    std::optional<Validation> early = refusal_of_nul(call);
    if (early) make_showable(call, situation);
    if (call.command.empty())
        return invalid(InvalidConfiguration, "Invalid input: `command` is empty");
    if (const auto name = wrong_name(call)) return invalid(EnvironmentSetupFailed, *name);
    if (const auto length = too_long(call)) return invalid(EnvironmentSetupFailed, *length);

    Run run;
    Request& request = run.request;
    request.command = call.line;
    if (!call.shell) {
        request.argv = {call.command};
        append(request.argv, call.args);
    }
    request.description = text_of(*arguments, "description");
    if (call.working_dir != situation.working_dir) request.working_dir = call.working_dir;
    request.streams = Streams::Split;
    request.leftovers = Leftovers::Kill;
    request.stop = {.patience = patience_after_breach};
    if (flag_of(*arguments, "enable_sandbox") && situation.mode == Mode::Open)
        run.mode = Mode::Workspace;
    run.kept = {{"capture", flag_or(*arguments, "capture_output", true)}};
    decode_limits(*arguments, situation, run);
    decode_environment(*arguments, call, situation, run);
    decode_paths(call, situation, run);

    const Readings readings = read_call(call);
    const decide::Context context = {.working_directory = call.working_dir, .home = home_of(call)};
    const auto findings = findings_in(readings, packs_of_layers, context);
    std::vector<Validation> validations = {validate(call, readings, findings, situation.docware)};
    if (!early) early = widening(*arguments, situation);
    if (early) validations.insert(validations.begin(), *std::move(early));
    keep_for_answer(call, readings.text, validations, run);
    keep_files(decide::named_files(readings.text, context), run);
    keep_threats(threat_analysis(findings, signs_in(readings, context)), run);
    return run;
}

}  // namespace

constinit const Contract docware_contract = {
    .name = "docware",
    .defaults = {.packs = {},
                 .unparsable = Unparsable::Refused,
                 .refuses_what_it_does_not_understand = true,
                 .leftovers = Leftovers::Kill,
                 .environment = Environment::FromNothing,
                 .mode = Mode::Workspace,
                 .absolute_path = true,
                 .own_packs = own_packs,
                 .without_walls = WithoutWalls::EachCallIsRefused},
    .tools = tools,
    .decode = decode,
    .render = docware_answer,
    .stream = docware_stream,
};

}  // namespace husk::contract
