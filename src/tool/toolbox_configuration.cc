// The configuration in force for the calls of a toolbox, and how it changes.
#include <algorithm>
#include <utility>

#include "base/id.h"
#include "confine/machine.h"
#include "contract/ask_for.h"
#include "tool/configuration_edit.h"
#include "tool/live_configuration.h"
#include "tool/toolbox_in_force.h"

namespace husk::tool {
namespace {

using contract::Json;

// A built-in value is ignored: the contract has its own.
std::optional<std::chrono::milliseconds> given(const config::Setting<config::Time>& setting) {
    return setting.is_given() ? setting.value : std::nullopt;
}

// Where the conversation is; a call may name a directory below it.
const std::filesystem::path& start_of(const ToolContext& walls) {
    return walls.working_dir.empty() ? walls.workspace : walls.working_dir;
}

// Only mounts can make one existing file read-only. Read-only mode needs no mounts for that.
contract::Situation::ReadOnly read_only_of(const Deployment& deployment) {
    using enum contract::Situation::ReadOnly;
    if (deployment.configured.memo.value == "writable") return SwitchedOff;
    const bool mounts = deployment.container || confine::Machine::assumed().mount_namespace;
    return mounts || deployment.walls.mode == Mode::ReadOnly ? Held : CannotBeHeld;
}

// A machine that cannot keep them in runs commands only where the user accepts that.
contract::Situation::Signals signals_of(const ToolContext& walls) {
    using enum contract::Situation::Signals;
    const confine::Offer offer =
        confine::offer(confine::Machine::assumed(), walls.mode, walls.network.kind, walls.accept);
    const bool open = std::ranges::count(offer.holes, confine::hole_of_signals) > 0;
    return open ? ReachOutside : KeptIn;
}

contract::Situation situation_of(const Deployment& deployment) {
    const config::Settings& configured = deployment.configured;
    const ToolContext& walls = deployment.walls;
    using Place = contract::Situation::Place;
    const bool inside = deployment.container.has_value();
    return {.place = inside ? Place::Container : Place::Host,
            .working_dir = inside ? place::workspace_inside : start_of(walls),
            .mode = walls.mode,
            .network = walls.network,
            .writable = walls.writable,
            .read_only = read_only_of(deployment),
            .signals = signals_of(walls),
            .closed_modes_missing = closed_modes_missing(walls),
            .default_timeout = given(configured.timeout),
            .longest_timeout = given(configured.longest_timeout),
            .arguments = deployment.arguments,
            .docware = deployment.docware};
}

}  // namespace

Toolbox::InForce::InForce(Deployment what)
    : deployment(std::move(what)), situation(situation_of(deployment)) {
    for (contract::Tool& tool : deployment.contract->tools(situation)) {
        if (tool.may_go_on) tasks.push_back(tool.name);
        names.push_back(std::move(tool.name));
    }
}

Json Toolbox::InForce::tools() const {
    Json tools = Json::array();
    for (const contract::Tool& tool : deployment.contract->tools(situation))
        tools.push_back(contract::tool_json(tool));
    return {{"tools", std::move(tools)}};
}

const std::filesystem::path& Toolbox::InForce::start_directory() const {
    return start_of(deployment.walls);
}

std::filesystem::path Toolbox::InForce::seen_here(const Request& request) const {
    const std::filesystem::path& asked = request.working_dir;
    if (!deployment.container || !asked.is_absolute()) return asked;
    const auto below = asked.lexically_normal().lexically_relative(place::workspace_inside);
    return below.empty() || *below.begin() == ".." ? asked : below;
}

Toolbox::InForcePtr Toolbox::in_force() const {
    const std::lock_guard lock(guard_);
    return in_force_;
}

void Toolbox::use(InForcePtr fresh) {
    const std::lock_guard lock(guard_);
    in_force_.swap(fresh);  // the old one goes without the lock
}

std::shared_ptr<const Deployment> Toolbox::deployment() const {
    const InForcePtr now = in_force();
    return {now, &now->deployment};
}

Toolbox::Listening Toolbox::on_configuration(std::function<void(const Reconfigured&)> tell) const {
    return news_.subscribe(std::move(tell));
}

void Toolbox::look_at_configuration() {
    if (!deployment_.live) return;
    const std::lock_guard lock(looking_);
    auto news = deployment_.live->look();
    if (!news) return;
    // The change is recorded before a command runs under it.
    if (news->change) record(*news->change);
    bool tools_changed = false;
    if (news->deployment) {
        auto fresh = std::make_shared<const InForce>(*std::move(news->deployment));
        tools_changed = fresh->tools() != in_force()->tools();
        use(std::move(fresh));
    }
    if (news->change) news_.tell({.change = *news->change, .tools_changed = tools_changed});
}

void Toolbox::record(audit::ConfigurationChange& change) const {
    constexpr int id_letters = 12;
    const audit::Server server{.via = deployment_.via,
                               .contract = std::string(deployment_.contract->name),
                               .workspace = deployment_.walls.workspace.string()};
    const auto written =
        journal_->append(audit::configuration_record(random_id(id_letters), server, change));
    if (!written) change.warnings.push_back("this is not in the audit: " + written.error().text());
}

std::string Toolbox::remember_settings(const std::string& text) {
    const std::filesystem::path& path = deployment_.users_file;
    if (const auto written = widen_always(path, text); !written)
        return "it is allowed once; " + path.string() + " was not changed: " + written.error();
    look_at_configuration();
    return "written to " + path.string();
}

std::string Toolbox::remember(const Question& question) {
    if (question.verdict.rule == contract::ask_for_rule)
        return remember_settings(question.always.text);
    const std::string directory = question.working_dir.string();
    const std::string& command = question.command;
    const std::filesystem::path& path = deployment_.users_file;
    const std::string file = path.string();
    if (const auto written = approve_always(path, directory, command); !written)
        return "it is allowed once; " + file + " was not changed: " + written.error();
    look_at_configuration();
    const auto& approved = in_force()->deployment.rules.approved;
    const bool counts = std::ranges::any_of(approved, [&](const Approval& one) {
        return one.directory == directory && one.command == command;
    });
    if (!counts) return "written to " + file + ", which does not count yet; husk check says why";
    return "written to " + file;
}

}  // namespace husk::tool
