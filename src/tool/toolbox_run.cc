// A command of its own for each call: equipped, started, told.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "collect/retention.h"
#include "contract/ask_for.h"
#include "request/environment.h"
#include "request/settings_layers.h"
#include "request/withheld_variables.h"
#include "tool/allowed_paths.h"
#include "tool/engine_values.h"
#include "tool/placed.h"
#include "tool/toolbox_call.h"
#include "tool/writable_places.h"

namespace husk::tool {
namespace {

using contract::Json;
using contract::Told;
using Variables = std::map<std::string, std::optional<std::string>>;

struct Inherited {
    std::string name;
    bool withheld;
};

// This program's own. They do not change, and looking at each takes its time.
const std::vector<Inherited>& inherited() {
    static const std::vector<Inherited> all = [] {
        std::vector<Inherited> found;
        for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
            const std::string_view text = *entry;
            const std::string name(text.substr(0, text.find('=')));
            const std::string_view value = text.substr(std::min(name.size() + 1, text.size()));
            found.push_back({name, is_withheld(name, value)});
        }
        return found;
    }();
    return all;
}

// This program's own, without relative entries.
std::string own_path() {
    const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
    return path == nullptr ? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
                           : absolute_entries(path);
}

Variables variables_for(contract::Environment environment, Mode mode) {
    using enum contract::Environment;
    Variables variables;
    if (environment == Inherited) return variables;
    if (environment == FromNothing) {
        variables["PATH"] = own_path();
        variables[screen_directory] = std::nullopt;
        for (const auto& [name, value] : without_network) variables[name] = std::nullopt;
    }
    for (const auto& [name, withheld] : inherited()) {
        // Walls withhold these themselves, and give their own in the place of some.
        if (mode != Mode::Open && withheld) continue;
        if (environment == FromNothing ? name != "PATH" : withheld) variables[name] = std::nullopt;
    }
    if (environment == Scrubbed) variables.merge(agent_environment());
    return variables;
}

// Applies to a PATH from any source: the call, the contract or this program. Without PATH, bash
// would search the working directory.
void keep_absolute_path(Variables& variables) {
    std::optional<std::string>& path = variables.try_emplace("PATH", own_path()).first->second;
    path = absolute_entries(path.value_or(""));
}

config::Asked asked_by(const Request& request) {
    config::Asked asked;
    asked.limits = request.limits;
    asked.idle = request.idle_timeout;
    asked.output = request.output_limit;
    return asked;
}

bool asks_for_limits(const Request& request) {
    return request.limits != Limits{} || request.idle_timeout || request.output_limit;
}

Report not_started(const Request& request, const Error& why) {
    Report report;
    report.ending = NotStarted{why};
    report.command = report.display = request.command;
    return report;
}

// The directories in which commands see the files of this host; empty if they see all of them.
std::vector<std::filesystem::path> shared_roots(const ToolContext& context) {
    if (context.mode == Mode::Open) return {};
    std::vector<std::filesystem::path> roots = context.writable;
    roots.push_back(context.workspace);
    return roots;
}

bool is_whole(const Excerpt& excerpt) {
    if (excerpt.total_bytes == 0) return true;
    return excerpt.shown.size() == 1 && excerpt.shown[0].first == 0 &&
           excerpt.shown[0].second == excerpt.total_bytes;
}

bool is_whole(const Report& report) {
    return is_whole(report.excerpt) && (!report.error_excerpt || is_whole(*report.error_excerpt));
}

// The answer must not tell less than a sample did while the command ran.
void raise_peak(Usage& usage, uint64_t sampled) {
    if (sampled == 0 || sampled <= usage.peak_memory_bytes.value_or(0)) return;
    usage.peak_memory_bytes = sampled;
    usage.peak_memory_of = "tree";
}

// The time of a call can be a limit of the contract's, and then it is a breach like any other.
Ending ending_of(const contract::Run& run, const Ending& ending) {
    const auto* late = std::get_if<TimedOut>(&ending);
    if (late == nullptr || run.time_limit.empty()) return ending;
    const auto limit = static_cast<uint64_t>(late->limit.count());
    // Found after the limit, if only by a part of a millisecond.
    const auto reached = std::max(static_cast<uint64_t>(late->reached.count()), limit + 1);
    return LimitExceeded{run.time_limit, limit, reached};
}

// Bytes to keep of each stream, so that the start of its log holds what the answer shows of it: a
// log that is cut keeps half of them, and less by a few blocks.
uint64_t kept_for(const contract::Portion& portion) {
    constexpr uint64_t blocks = 16 << 10;
    constexpr uint64_t most_head = 64 << 20;  // one call must not reserve all of the quota
    return 2 * std::min(portion.head, most_head) + blocks;
}

std::optional<Directories> directories(const std::optional<std::vector<std::string>>& list) {
    return list ? std::optional<Directories>(std::in_place, list->begin(), list->end())
                : std::nullopt;
}

// What the conversation, the configuration and the call all allow. Mode open has no walls for it.
void narrow_paths(ToolContext& context, const std::optional<std::vector<std::string>>& calls,
                  const std::optional<std::vector<std::string>>& configured) {
    if (context.mode == Mode::Open) return context.allowed_paths.reset();
    if (!calls && !configured) return;
    context.allowed_paths = allowed_by_all({.call = directories(calls),
                                            .configured = directories(configured),
                                            .conversations = context.allowed_paths},
                                           writable_places(context));
}

Mode mode_of(const contract::Run& run, Mode usual) {
    if (run.ask_for && run.ask_for->mode) return *run.ask_for->mode;
    return run.mode.value_or(usual);
}

// The members of `ask_for` that would allow what was stopped: "write: [...]" and the like as JSON.
std::string members_of(std::string allow_with) {
    constexpr std::string_view workspace = "mode: workspace, ";
    std::string members;
    if (allow_with.starts_with(workspace)) {
        members = R"("mode": "workspace", )";
        allow_with.erase(0, workspace.size());
    }
    const std::string key = allow_with.substr(0, allow_with.find(':'));
    std::string value = allow_with.substr(std::min(key.size() + 2, allow_with.size()));
    if (key == "mode" || key == "network") {
        std::erase_if(value, [](char c) { return c == '[' || c == ']' || c == '"'; });
        value.insert(0, 1, '"').append("\"");
    }
    return members + '"' + key + "\": " + value;
}

// A model that meets a wall shall know that there is a way to ask.
void tell_how_to_ask(Report& report) {
    const auto found = std::ranges::find_if(
        report.denials, [](const Denial& denial) { return !denial.allow_with.empty(); });
    const std::string members =
        members_of(found == report.denials.end() ? "mode: open" : found->allow_with);
    report.notes.push_back("`ask_for` asks the user for more access, for one call: {" + members +
                           R"(, "reason": "why"})");
}

}  // namespace

std::expected<Request, std::string> Toolbox::equipped(const InForce& in_force,
                                                      const contract::Run& run) {
    const Deployment& deployment = in_force.deployment;
    const contract::Defaults& defaults = deployment.contract->defaults;
    Request request = run.request;
    if (asks_for_limits(request)) {
        const auto allowed = config::narrowed(deployment.configured, asked_by(request));
        if (!allowed) return std::unexpected(allowed.error());
        apply_limits(*allowed, request);
    } else {
        apply_limits(deployment.configured, request);
    }
    request.keep_output_bytes = std::max(request.keep_output_bytes, kept_for(run.portion));
    request.limits.cpu_percent = run.request.limits.cpu_percent;
    request.env.insert(run.variables.begin(), run.variables.end());
    request.env.merge(variables_for(run.environment.value_or(defaults.environment),
                                    mode_of(run, deployment.walls.mode)));
    if (defaults.absolute_path) keep_absolute_path(request.env);
    request.log_goes_with_session = defaults.logs_end_with_session;
    if (run.portion.wanted()) request.max_output_bytes = 0;  // read later, byte for byte
    return request;
}

ToolContext Toolbox::context_for(const Call& call, const contract::Run& run) const {
    const InForce& in_force = *call.in_force;
    ToolContext context = in_force.deployment.walls;
    context.working_dir = in_force.start_directory();
    context.mode = run.mode.value_or(context.mode);
    // A call that narrows the mode to one without a network has asked for that too.
    if (run.mode == Mode::ReadOnly) context.network = {};
    context.network = run.network.value_or(context.network);
    if (run.ask_for) contract::widen(*run.ask_for, context);
    if (deployment_.contract->defaults.scratch == Scratch::None) context.scratch = Scratch::None;
    narrow_paths(context, run.allowed_paths, run.configured_paths);
    context.session =
        run.session.empty() ? own_session(in_force, context, call.context.apart) : run.session;
    // No other call of the conversation is to be behind these walls.
    if (run.ask_for) context.session.clear();
    // The name comes from a model, which may not choose where it can write.
    context.same_workspace |= !run.session.empty();
    context.caller = deployment_.caller + "@" + workspace_id_;
    return context;
}

// When there is room for one more; at once, where there is, because this is a quick thread.
void Toolbox::start(const std::shared_ptr<Call>& call) {
    if (running_.enter([this, call] { quick_.post([this, call] { launch(call); }); })) launch(call);
}

void Toolbox::launch(const std::shared_ptr<Call>& call) {
    const auto& run = std::get<contract::Run>(call->action);
    const Deployment& deployment = call->in_force->deployment;
    auto request = equipped(*call->in_force, run);
    if (!request) return ended(call, not_started(run.request, {"limits", 0, request.error()}));
    if (run.private_tmp)
        if (auto made = PrivateDir::make()) call->tmp.emplace(*std::move(made));
    if (call->tmp) request->env["TMPDIR"] = call->tmp->path().string();
    ToolContext context = context_for(*call, run);
    context.cancel = call->context.cancel;
    call->audit->asked.session = context.session;
    context.on_start = [this, call](const std::string& shell_id) {
        // The keeper may have been woken on this processor. What is still to be done can wait for
        // it; in a crowd it would wait for all others too.
        if (call->context.start_here) std::this_thread::yield();
        call->audit->begins(shell_id);
        hold(*call, shell_id);
        if (call->context.on_shell) call->context.on_shell(shell_id);
    };
    context.on_output = call->context.on_output;
    if (run.watch)
        if (const auto watched = watch(*call, *run.watch, context); !watched)
            return ended(call, not_started(*request, watched.error()));
    // In a container they have other names.
    if (!run.files.empty() && !deployment.container)
        call->files.emplace(run.files, shared_roots(context), context.allowed_paths);
    if (!deployment.container) return this->run(call, *std::move(request), std::move(context));
    // Making one takes its time.
    patient_.post([this, call, request = *std::move(request), context = std::move(context)] {
        Request moved = request;
        ToolContext here = context;
        const auto placed =
            place_call(*call->in_force->deployment.container, deployment_.settings, moved, here);
        if (!placed) return ended(call, not_started(request, placed.error()));
        this->run(call, std::move(moved), std::move(here));
    });
}

void Toolbox::run(const std::shared_ptr<Call>& call, Request request, ToolContext context) {
    bash_.run(std::move(request), std::move(context),
              [this, call](Report report) { ended(call, std::move(report)); });
}

Result<void> Toolbox::watch(Call& call, const contract::Watch& wanted, ToolContext& context) const {
    CallWatch::OnEvent tell;
    const auto& on_record = call.context.on_record;
    if (on_record && wanted.output && deployment_.contract->stream != nullptr)
        tell = [stream = deployment_.contract->stream(), on_record](const contract::Event& event) {
            for (const Json& record : stream(event)) on_record(record);
        };
    call.eye = std::make_unique<CallWatch>(deployment_.settings, wanted, std::move(tell),
                                           call.context.on_sample);
    return call.eye->attach(context);
}

// Before it ends: others who make room for their own may remove it then.
void Toolbox::hold(Call& call, const std::string& shell_id) const {
    const auto state = run::StateDir::open_for_reading(deployment_.settings.state);
    auto files = state ? collect::open_shell(*state, shell_id)
                       : Result<collect::ShellFiles>(std::unexpected(state.error()));
    if (files) call.shell = std::move(*files);
}

void Toolbox::ended(const std::shared_ptr<Call>& call, Report report) {
    running_.leave();
    warm_ = !std::holds_alternative<NotStarted>(report.ending);
    const Request& request = std::get<contract::Run>(call->action).request;
    const bool moved =
        !report.ended() && !request.background && request.timeout == call->context.answer_within;
    if (moved && call->context.on_moved) call->context.on_moved(report.shell_id);
    const auto tell = [this, call, report = std::move(report)] {
        finish(*call, told(*call, report));
    };
    // These steps may take long: waiting for the watcher, removing a large directory, copying long
    // output.
    if (call->eye || call->tmp || spilled_) return patient_.post(tell);
    tell();
}

Told Toolbox::told(Call& call, Report report) const {
    const auto& run = std::get<contract::Run>(call.action);
    Told told{.report = std::move(report)};
    Report& about = told.report;
    const Deployment& deployment = call.in_force->deployment;
    if (deployment.container) tell_placed(about, run.network.value_or(deployment.walls.network));
    about.ending = ending_of(run, about.ending);
    if (call.eye) {
        told.events = call.eye->finish(about.ending);
        raise_peak(about.usage, call.eye->most_memory());
    }
    if (call.files && about.pid) told.files = call.files->now();
    call.tmp.reset();
    about.verdict = std::move(call.verdict);
    about.notes.insert(about.notes.begin(), deployment.notes.begin(), deployment.notes.end());
    const bool may_ask = deployment.contract->defaults.has_ask_for && !deployment.container &&
                         call.context.approver != nullptr && !run.ask_for;
    if (may_ask && !about.denials.empty()) tell_how_to_ask(about);
    if (!call.remembered.empty()) about.notes.push_back("always allowed: " + call.remembered);
    if (run.portion.wanted()) about.output.clear();
    // What is there as a whole needs no words about how to get the rest.
    if (about.shell_id.empty() || (!run.portion.wanted() && is_whole(about))) return told;
    // Where even opening it came too late, the report has it, in words for the command line.
    const auto added = add_bytes(call, told);
    if (!added && run.portion.wanted())
        about.notes.push_back("the output could not be read: " + added.error().text());
    return told;
}

Result<void> Toolbox::add_bytes(Call& call, Told& told) const {
    const auto& run = std::get<contract::Run>(call.action);
    const std::string& id = told.report.shell_id;
    const KnownShell shell = call.shell && call.shell->id == id
                                 ? TRY(known(*std::exchange(call.shell, std::nullopt)))
                                 : TRY(open_known(deployment_.settings, id));
    if (shell.now.record.keeper != 0) told.parent_pid = static_cast<int>(shell.now.record.keeper);
    if (told.report.ended()) told.main_process = collect::end_of_main(shell.now.record);
    if (!run.portion.wanted())
        return add_readable(told, shell, Whole{}, run.request.max_output_bytes);
    CHECK(add_portion(told, shell, run.portion));
    if (spilled_ && told.report.ended() && !shell.now.tree_lives) settle_output(call, told);
    return {};
}

// Removes output that the answer has in full. Longer output goes to a file.
void Toolbox::settle_output(Call& call, Told& told) const {
    Report& about = told.report;
    if (deployment_.contract->points_to_file(told)) {
        const auto shell = open_known(deployment_.settings, about.shell_id);
        const auto file = shell ? spilled_->keep(shell->files)
                                : Result<std::filesystem::path>(std::unexpected(shell.error()));
        // The log has the output too, and goes with the session.
        if (!file) about.notes.push_back("the output is in the log: " + file.error().text());
        if (!file || !spilled_->has_directory()) return;
        about.excerpt.log = *file;
    } else {
        about.excerpt.log.clear();
    }
    call.forgotten_shell = about.shell_id;
}

void Toolbox::forget_output(const Call& call) const {
    const auto state = run::StateDir::open_for_reading(deployment_.settings.state);
    if (state) std::ignore = collect::remove_shell(*state, call.forgotten_shell);
}

}  // namespace husk::tool
