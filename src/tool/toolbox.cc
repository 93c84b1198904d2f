#include "tool/toolbox.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "collect/retention.h"
#include "confine/machine.h"
#include "render/report_json.h"
#include "render/verdict_text.h"
#include "request/environment.h"
#include "request/settings_layers.h"
#include "tool/call_watch.h"
#include "tool/display_of.h"
#include "tool/engine_values.h"
#include "tool/private_dir.h"
#include "tool/read_shell.h"
#include "tool/wait_until.h"

namespace husk::tool {
namespace {

using contract::Json;
using contract::Outcome;
using contract::Told;
using Variables = std::map<std::string, std::optional<std::string>>;

Settings settings_for(const Deployment& deployment) {
    Settings settings = deployment.settings;
    settings.early_end = deployment.contract->defaults.early_end;
    return settings;
}

// What stands for a workspace, by whatever name it is called.
std::string identity_of(const std::filesystem::path& workspace) {
    struct stat info{};
    if (::stat(workspace.c_str(), &info) != 0) return workspace.string();
    return std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino);
}

// FNV-1a, as letters of a name.
std::string digest(std::string_view text) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char letter : text)
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    std::string name;
    for (int shift = 60; shift >= 0; shift -= 4) name += "0123456789abcdef"[hash >> shift & 0xf];
    return name;
}

Variables variables_for(contract::Environment environment, Mode mode) {
    using enum contract::Environment;
    Variables variables;
    if (environment == Inherited) return variables;
    if (environment == FromNothing &&
        std::getenv("PATH") == nullptr)  // NOLINT(concurrency-mt-unsafe)
        variables["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string name(text.substr(0, text.find('=')));
        // Walls withhold these themselves, and give their own in the place of some.
        if (mode != Mode::Open && environment == FromNothing && is_withheld(name)) continue;
        if (environment == FromNothing ? name != "PATH" : is_withheld(name))
            variables[name] = std::nullopt;
    }
    if (environment == Scrubbed) variables.merge(agent_environment());
    return variables;
}

// A script can be judged without being understood, and a contract that only has checks lets it
// pass; a rule that somebody wrote wants to know.
bool only_not_understood(const Judged& judged, const decide::Rules& rules) {
    return judged.verdict.rule == "not-understood" && rules.rules.empty() &&
           rules.mode != decide::Mode::Strict;
}

// What the contract's own checks say, where it is stricter or the same.
void add_own_checks(Judged& judged, const std::optional<Verdict>& own) {
    if (!own || judged.rejected) return;
    const auto decision = own->decision == "deny" ? decide::Decision::Deny : decide::Decision::Ask;
    if (decision < judged.verdict.decision) return;
    judged.verdict.decision = decision;
    judged.verdict.rule = own->rule;
    judged.verdict.where = own->where;
    judged.verdict.reason = own->reason;
    judged.verdict.instead = own->instead;
    judged.verdict.allow_with.clear();
}

Outcome failed(const Error& error) { return contract::Failed{error}; }

Outcome missing(const std::string& id, const Error& error) {
    if (error.text() == collect::no_such_shell(id).text()) return contract::NoSuchShell{id};
    return failed(error);
}

config::Asked asked_by(const Request& request) {
    config::Asked asked;
    asked.limits = request.limits;
    asked.idle = request.idle_timeout;
    asked.output = request.output_limit;
    return asked;
}

Report not_started(const Request& request, const std::string& why) {
    Report report;
    report.ending = NotStarted{{"limits", 0, why}};
    report.command = report.display = request.command;
    return report;
}

// What is built in is for the contract to say.
std::optional<std::chrono::milliseconds> given(const config::Setting<config::Time>& setting) {
    return setting.is_given() ? setting.value : std::nullopt;
}

Json report_meta(const Report& report) {
    Json json = render::report_json(report);
    for (const char* output : {"output", "stdout", "stderr"}) json.erase(output);
    return json;
}

}  // namespace

Toolbox::Toolbox(Deployment deployment)
    : deployment_(std::move(deployment)),
      workspace_id_(identity_of(deployment_.walls.workspace)),
      bash_(settings_for(deployment_)) {
    if (!deployment_.contract->defaults.logs_end_with_session) return;
    // Sessions that ended by themselves had nobody to do it.
    if (const auto state = run::StateDir::open_for_reading(deployment_.settings.state))
        std::ignore = collect::remove_what_went_with_sessions(*state);
}

contract::Situation Toolbox::situation() const {
    const config::Settings& configured = deployment_.configured;
    const ToolContext& walls = deployment_.walls;
    return {.working_dir = walls.workspace,
            .mode = walls.mode,
            .network = walls.network,
            .writable = walls.writable,
            .closed_modes_missing = closed_modes_missing(deployment_.walls),
            .default_timeout = given(configured.timeout),
            .longest_timeout = given(configured.longest_timeout),
            .answer_within = deployment_.answer_within,
            .arguments = deployment_.arguments,
            .docware = deployment_.docware};
}

Json Toolbox::tools() const {
    Json tools = Json::array();
    for (const contract::Tool& tool : deployment_.contract->tools(situation()))
        tools.push_back(contract::tool_json(tool));
    return {{"tools", std::move(tools)}};
}

std::expected<Json, std::string> Toolbox::call(std::string_view tool, std::string_view arguments,
                                               const std::stop_token& cancel,
                                               const OnRecord& on_record) {
    const contract::Contract& contract = *deployment_.contract;
    const contract::Situation here = situation();
    std::string names;
    for (const contract::Tool& one : contract.tools(here)) {
        if (one.name == tool) names.clear();
        if (one.name == tool) break;
        names += (names.empty() ? "" : ", ") + one.name;
    }
    if (!names.empty())
        return std::unexpected("the contract " + std::string(contract.name) + " has no tool \"" +
                               std::string(tool) + "\"; it has " + names);
    const auto action = contract.decode(tool, arguments, here);
    if (!action) return contract::result_json(action.error());
    const Outcome outcome =
        std::visit([&](const auto& one) { return perform(one, cancel, on_record); }, *action);
    contract::Answer answer = contract.render(*action, outcome);
    const auto* told = std::get_if<Told>(&outcome);
    if (told != nullptr && deployment_.report == Deployment::Report::InMeta)
        answer.meta["husk/report"] = report_meta(told->report);
    return contract::result_json(answer);
}

std::string Toolbox::own_session(Mode mode, const Network& network) const {
    if (!deployment_.session.empty()) return deployment_.session;
    std::string all = workspace_id_ + "\n" + deployment_.caller + "\n";
    all += std::to_string(static_cast<int>(mode)) + std::to_string(static_cast<int>(network.kind));
    for (const std::string& host : network.hosts) all += "\n" + host;
    const ToolContext& walls = deployment_.walls;
    for (const auto* paths : {&walls.writable, &walls.readable, &walls.protect}) {
        all += "\n";
        for (const auto& path : *paths) all += path.string() + "\n";
    }
    return std::string(deployment_.contract->name) + "-" + digest(all);
}

// Whoever calls from the same workspace is the same one, and whoever knows the session's name.
bool Toolbox::is_own(const std::string& caller, const std::string& session) const {
    if (caller == deployment_.caller + "@" + workspace_id_) return true;
    return !deployment_.session.empty() && session == deployment_.session;
}

ToolContext Toolbox::context_for(const contract::Run& run) const {
    ToolContext context = deployment_.walls;
    context.working_dir = context.workspace;
    context.mode = run.mode.value_or(context.mode);
    context.network = run.network.value_or(context.network);
    context.scratch = deployment_.contract->defaults.scratch;
    context.session =
        run.session.empty() ? own_session(context.mode, context.network) : run.session;
    context.caller = deployment_.caller + "@" + workspace_id_;
    return context;
}

// The report of a command that may not be started.
std::optional<Report> Toolbox::refused(const contract::Run& run, Verdict& verdict) const {
    const Request& request = run.request;
    const contract::Defaults& defaults = deployment_.contract->defaults;
    const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
    const std::filesystem::path working_dir = deployment_.walls.workspace / request.working_dir;
    const decide::Context context = {
        .working_directory = (working_dir / "").lexically_normal().parent_path().string(),
        .home = home == nullptr ? "" : home};
    Judged judged = judge(request.command, deployment_.rules, context);
    // bash runs the lines before the one that it cannot read.
    if (judged.rejected && defaults.unparsable == contract::Unparsable::BashSaysIt)
        judged = judge_readable(request.command, deployment_.rules, context);
    add_own_checks(judged, run.verdict);
    verdict = reported(judged.verdict);
    if (run.verdict && verdict.rule == run.verdict->rule) verdict.risk = run.verdict->risk;
    using enum decide::Decision;
    if (judged.verdict.decision == Allow) return std::nullopt;
    if (!defaults.refuses_what_it_does_not_understand &&
        only_not_understood(judged, deployment_.rules)) {
        verdict = {};
        return std::nullopt;
    }
    const bool asks = judged.verdict.decision == Ask;
    if (asks && deployment_.approve && deployment_.approve(judged)) return std::nullopt;
    Report report;
    report.ending = Denied{judged.verdict.rule, render::refusal(judged.verdict)};
    report.command = request.command;
    report.display = display_of(request.command, working_dir);
    report.verdict = verdict;
    return report;
}

std::expected<Request, std::string> Toolbox::equipped(const contract::Run& run) const {
    const contract::Defaults& defaults = deployment_.contract->defaults;
    const auto allowed = config::narrowed(deployment_.configured, asked_by(run.request));
    if (!allowed) return std::unexpected(allowed.error());
    Request request = run.request;
    apply_limits(*allowed, request);
    request.env.merge(variables_for(run.environment.value_or(defaults.environment),
                                    run.mode.value_or(deployment_.walls.mode)));
    request.log_goes_with_session = defaults.logs_end_with_session;
    request.max_output_bytes = 0;  // read afterwards, in the form that the contract wants
    return request;
}

Outcome Toolbox::perform(const contract::Run& run, const std::stop_token& cancel,
                         const OnRecord& on_record) {
    Verdict verdict;
    if (auto report = refused(run, verdict)) return Told{.report = *std::move(report)};
    auto request = equipped(run);
    if (!request) return Told{.report = not_started(run.request, request.error())};
    const std::optional<PrivateDir> tmp =
        run.private_tmp ? PrivateDir::make() : std::optional<PrivateDir>();
    if (tmp) request->env["TMPDIR"] = tmp->path().string();
    ToolContext context = context_for(run);
    context.cancel = cancel;
    Told told = watched(*request, context, run.watch, on_record);
    Report& report = told.report;
    report.verdict = std::move(verdict);
    report.notes.insert(report.notes.begin(), deployment_.notes.begin(), deployment_.notes.end());
    report.output.clear();
    if (report.shell_id.empty()) return told;
    const auto add = [&]() -> Result<void> {
        const KnownShell shell = TRY(open_known(deployment_.settings, report.shell_id));
        if (shell.now.record.keeper != 0)
            told.parent_pid = static_cast<int>(shell.now.record.keeper);
        if (run.portion.wanted()) return add_portion(told, shell, run.portion);
        return add_readable(told, shell, Whole{}, run.request.max_output_bytes);
    };
    if (const auto added = add(); !added)
        report.notes.push_back("the output could not be read: " + added.error().text());
    return told;
}

// Runs it, with an eye on it if that is wanted.
Told Toolbox::watched(const Request& request, ToolContext& context,
                      const std::optional<contract::Watch>& watch, const OnRecord& on_record) {
    if (!watch) return {.report = bash_.run(request, context)};
    CallWatch::OnEvent tell;
    if (on_record && watch->output && deployment_.contract->stream != nullptr)
        tell = [stream = deployment_.contract->stream(), &on_record](const contract::Event& event) {
            for (const Json& record : stream(event)) on_record(record);
        };
    CallWatch eye(deployment_.settings, *watch, std::move(tell));
    eye.attach(context);
    Told told{.report = bash_.run(request, context)};
    told.events = eye.finish(told.report.ending);
    return told;
}

Outcome Toolbox::perform(const contract::Read& read, const std::stop_token&, const OnRecord&) {
    const auto shell = own_shell(read.shell_id);
    if (!shell) return missing(read.shell_id, shell.error());
    Told told = told_of(*shell);
    const auto added = read.portion.wanted()
                           ? add_portion(told, *shell, read.portion)
                           : add_readable(told, *shell, read.range, read.max_bytes, read.rest);
    if (!added) return failed(added.error());
    return told;
}

Outcome Toolbox::perform(const contract::Wait& wait, const std::stop_token& cancel,
                         const OnRecord&) {
    auto shell = own_shell(wait.shell_id);
    if (!shell) return missing(wait.shell_id, shell.error());
    const auto met = wait_until(shell->files, wait.until, wait.timeout, cancel);
    if (!met) return failed(met.error());
    shell = own_shell(wait.shell_id);
    if (!shell) return missing(wait.shell_id, shell.error());
    Told told = told_of(*shell);
    told.met = met->what;
    told.line = met->line;
    if (const auto added = add_readable(told, *shell, SinceLast{}, wait.max_bytes); !added)
        return failed(added.error());
    return told;
}

Outcome Toolbox::perform(const contract::Kill& kill, const std::stop_token&, const OnRecord&) {
    auto shell = own_shell(kill.shell_id);
    if (!shell) return missing(kill.shell_id, shell.error());
    const bool had_ended = !shell->now.tree_lives;
    const auto killed = Shells(deployment_.settings).kill(kill.shell_id, kill.ladder, 0);
    if (const auto* error = std::get_if<Error>(&killed)) return failed(*error);
    shell = own_shell(kill.shell_id);
    if (!shell) return missing(kill.shell_id, shell.error());
    Told told = told_of(*shell);
    told.report.notes = std::get<Report>(killed).notes;
    told.had_ended = had_ended;
    if (const auto added = add_readable(told, *shell, SinceLast{}, kill.max_bytes); !added)
        return failed(added.error());
    if (kill.then == contract::Kill::Then::Forget) {
        const auto state = run::StateDir::open_for_reading(deployment_.settings.state);
        const auto removed = state ? collect::remove_shell(*state, kill.shell_id)
                                   : Result<void>(std::unexpected(state.error()));
        if (!removed) told.report.notes.push_back(removed.error().text());
    }
    return told;
}

Outcome Toolbox::perform(const contract::List& list, const std::stop_token&, const OnRecord&) {
    auto all = Shells(deployment_.settings).list();
    if (const auto* error = std::get_if<Error>(&all)) return failed(*error);
    auto& shells = std::get<std::vector<Report>>(all);
    std::erase_if(shells, [&](const Report& one) { return !is_own(one.caller, one.session); });
    contract::Listed listed{.shells = {}, .total = shells.size()};
    shells.resize(std::min(shells.size(), list.most));
    listed.shells = std::move(shells);
    return listed;
}

// That of another caller does not exist.
Result<KnownShell> Toolbox::own_shell(const std::string& id) const {
    KnownShell shell = TRY(open_known(deployment_.settings, id));
    if (!is_own(shell.note.caller, shell.note.session))
        return std::unexpected(collect::no_such_shell(id));
    return shell;
}

std::string closed_modes_missing(const ToolContext& walls) {
    const Mode mode = walls.mode == Mode::Open ? Mode::ReadOnly : walls.mode;
    return confine::offer(confine::Machine::assumed(), mode, walls.network.kind, walls.accept)
        .refusal;
}

}  // namespace husk::tool
