#include "tool/toolbox.h"

#include <sys/stat.h>

#include <algorithm>
#include <tuple>

#include "base/terminal_text.h"
#include "base/text.h"
#include "base/utf8.h"
#include "collect/retention.h"
#include "collect/stream.h"
#include "confine/machine.h"
#include "run/call.h"
#include "tool/live_use.h"
#include "tool/read_shell.h"
#include "tool/toolbox_in_force.h"
#include "tool/wait_until.h"

namespace husk::tool {
namespace {

using contract::Json;
using contract::Outcome;
using contract::Told;

Settings settings_for(const Deployment& deployment) {
    Settings settings = deployment.settings;
    settings.early_end = deployment.contract->defaults.early_end;
    settings.checks.reset();  // calls have been judged by then
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

std::filesystem::path state_of(const Deployment& deployment) {
    const std::filesystem::path& state = deployment.settings.state;
    return state.empty() ? run::default_state_path() : state;
}

Outcome failed(const Error& error) { return contract::Failed{error}; }

Outcome missing(const std::string& id, const Error& error) {
    if (error.text() == collect::no_such_shell(id).text()) return contract::NoSuchShell{id};
    return failed(error);
}

}  // namespace

Toolbox::Toolbox(Deployment deployment)
    : deployment_(std::move(deployment)),
      workspace_id_(identity_of(deployment_.walls.workspace)),
      journal_(std::make_shared<audit::Journal>(deployment_.settings.state)),
      in_force_(std::make_shared<const InForce>(deployment_)),
      bash_(settings_for(deployment_)) {
    if (deployment_.contract->points_to_file != nullptr)
        spilled_ = std::make_unique<SpilledOutput>(state_of(deployment_), deployment_.output_dir,
                                                   deployment_.output_until);
    if (!deployment_.contract->defaults.logs_end_with_session) return;
    // Sessions that ended by themselves had nobody to do it.
    if (const auto state = run::StateDir::open_for_reading(deployment_.settings.state))
        std::ignore = collect::remove_what_went_with_sessions(*state);
}

Toolbox::~Toolbox() = default;

Json Toolbox::tools() const { return in_force()->tools(); }

std::string Toolbox::own_session(const InForce& in_force, const ToolContext& asked,
                                 const std::string& apart) const {
    // Other walls are another session. A directory that was replaced is another one too.
    std::string allowed;
    if (asked.allowed_paths) {
        allowed = "allowed\n";
        for (const auto& path : *asked.allowed_paths)
            allowed += path.string() + " " + identity_of(path) + "\n";
    }
    if (!deployment_.session.empty())
        return deployment_.session + (allowed.empty() ? "" : "-" + digest(allowed));
    std::string all = workspace_id_ + "\n" + deployment_.caller + "\n";
    if (!apart.empty()) all += apart + "\n";
    const Network& network = asked.network;
    all += std::to_string(static_cast<int>(asked.mode)) +
           std::to_string(static_cast<int>(network.kind));
    for (const std::string& host : network.hosts) all += "\n" + host;
    if (!allowed.empty()) all += "\n" + allowed;
    if (const auto& container = in_force.deployment.container)
        all += "\n" + container->image + "\n" + container->socket.string();
    const ToolContext& walls = in_force.deployment.walls;
    if (walls.wide_workspace) all += "\nwide";
    if (!walls.cache.empty()) all += "\ncache " + walls.cache.string();
    for (const uint16_t port : walls.publish) all += "\npublish " + std::to_string(port);
    all += "\nscratch " + std::to_string(walls.scratch_bytes);
    for (const auto* paths :
         {&walls.writable, &walls.readable, &walls.protect, &walls.sockets, &walls.devices}) {
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

Outcome Toolbox::perform(const contract::Read& read) const {
    const auto shell = own_shell(read.shell_id);
    if (!shell) return missing(read.shell_id, shell.error());
    Told told = told_of(*shell);
    if (!told.report.ended()) add_live_use(told.report, shell->now);
    const auto added = read.portion.wanted()
                           ? add_portion(told, *shell, read.portion)
                           : add_readable(told, *shell, read.range, read.max_bytes, read.rest);
    if (!added) return failed(added.error());
    return told;
}

Outcome Toolbox::perform(const contract::Wait& wait, const std::stop_token& cancel) const {
    auto shell = own_shell(wait.shell_id);
    if (!shell) return missing(wait.shell_id, shell.error());
    const auto met = wait_until(shell->files, wait.until, wait.timeout, cancel);
    if (!met) return failed(met.error());
    shell = own_shell(wait.shell_id);
    if (!shell) return missing(wait.shell_id, shell.error());
    Told told = told_of(*shell);
    if (!told.report.ended()) add_live_use(told.report, shell->now);
    told.met = met->what;
    told.line = met->line;
    if (const auto added = add_readable(told, *shell, SinceLast{}, wait.max_bytes); !added)
        return failed(added.error());
    return told;
}

Outcome Toolbox::perform(const contract::Kill& kill) const {
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

Outcome Toolbox::perform(const contract::List& list) const {
    auto all = shells();
    if (!all) return failed(all.error());
    contract::Listed listed{.shells = {}, .total = all->size()};
    all->resize(std::min(all->size(), list.most));
    listed.shells = std::move(*all);
    return listed;
}

Result<std::vector<Report>> Toolbox::shells() const {
    auto all = Shells(deployment_.settings).list();
    if (auto* error = std::get_if<Error>(&all)) return std::unexpected(std::move(*error));
    auto& shells = std::get<std::vector<Report>>(all);
    std::erase_if(shells, [&](const Report& one) { return !is_own(one.caller, one.session); });
    return std::move(shells);
}

Result<std::string> Toolbox::log(const std::string& id, uint64_t max_bytes) const {
    const KnownShell shell = TRY(own_shell(id));
    using collect::Which;
    std::string said = TRY(collect::show(shell.files, Which::Output, 0, max_bytes)).shown.text;
    if (shell.files.error_log)
        said += "\n" + TRY(collect::show(shell.files, Which::Errors, 0, max_bytes)).shown.text;
    return text::plain(said);
}

Result<Glimpse> Toolbox::glimpse(const std::string& id) const {
    const KnownShell shell = TRY(own_shell(id));
    using collect::Which;
    Glimpse seen;
    seen.bytes = TRY(collect::stream_state(shell.files, Which::Output)).kept.total;
    constexpr uint64_t most = 2048;
    std::string end = TRY(collect::read_from(shell.files, Which::Output,
                                             seen.bytes - std::min(seen.bytes, most), most))
                          .bytes;
    end = text::plain(end);
    const auto lines = text::split_lines(end);
    constexpr size_t longest = 200;
    if (!lines.empty()) seen.last_line = text::whole_prefix(lines.back(), longest);
    return seen;
}

Result<KnownShell> Toolbox::own_shell(const std::string& id) const {
    KnownShell shell = TRY(open_known(deployment_.settings, id));
    if (!is_own(shell.note.caller, shell.note.session))
        return std::unexpected(collect::no_such_shell(id));
    return shell;
}

std::string Toolbox::usual_log_level() const {
    const InForcePtr now = in_force();
    return now->deployment.contract == &contract::docware_contract
               ? now->deployment.docware.log_level
               : "off";
}

bool Toolbox::can_be_task(std::string_view tool) const {
    const InForcePtr now = in_force();
    return std::ranges::find(now->tasks, tool) != now->tasks.end();
}

bool Toolbox::has_tasks() const { return !in_force()->tasks.empty(); }

Result<Json> Toolbox::result_of(const std::string& id) const {
    const KnownShell shell = TRY(own_shell(id));
    contract::Run run;
    run.request.command = shell.note.command;
    Told told = told_of(shell);
    CHECK(add_readable(told, shell, Whole{}, run.request.max_output_bytes));
    return contract::result_json(deployment_.contract->render(run, told));
}

void Toolbox::cancel(const std::string& id, std::function<void()> done) {
    patient_.post([this, id, done = std::move(done)] {
        const StopLadder ladder;
        // The keeper gives up five seconds after its first SIGKILL, and says so.
        const auto patience = ladder.patience + std::chrono::seconds(7);
        const auto shell = own_shell(id);
        if (shell && shell->now.tree_lives &&
            run::stop(shell->files.record, shell->now.record, record::Reason::Cancelled, ladder))
            std::ignore = wait_until_stopped(shell->files, patience);
        done();
    });
}

std::string closed_modes_missing(const ToolContext& walls) {
    const Mode mode = walls.mode == Mode::Open ? Mode::ReadOnly : walls.mode;
    return confine::offer(confine::Machine::assumed(), mode, walls.network.kind, walls.accept)
        .refusal;
}

}  // namespace husk::tool
