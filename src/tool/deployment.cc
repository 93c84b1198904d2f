#include "tool/deployment.h"

#include <algorithm>
#include <utility>

#include "confine/checks.h"
#include "contract/modes.h"
#include "decide/check.h"
#include "proxy/proxy.h"
#include "request/settings_layers.h"
#include "run/state_dir.h"
#include "tool/configured_paths.h"
#include "tool/contract_layer.h"
#include "tool/engine_values.h"
#include "tool/own_files.h"
#include "tool/plan_call.h"
#include "tool/working_dir.h"

namespace husk::tool {
namespace {

namespace fs = std::filesystem;
using Complaints = std::vector<Complaint>;

std::unexpected<Complaints> complaint(std::string message) {
    return std::unexpected(Complaints{{{}, std::move(message)}});
}

std::string cannot_be_built(Mode mode, const std::string& why) {
    std::string text = std::string("the mode ") + contract::word(mode) +
                       " cannot be had on this machine: " + why +
                       "; `husk doctor` tells more, `--mode open` runs without walls";
    // One requirement: newer parts of Landlock are used if they exist, and not required.
    if (why.contains("Landlock"))
        text +=
            ". Linux 5.13 or later is enough; where Landlock has no rules for the network "
            "(before 6.7) or for signals (before 6.12), namespaces and seccomp confine them";
    return text;
}

bool ends_without_walls(const Deployment& deployment) {
    return deployment.contract->defaults.without_walls == contract::WithoutWalls::NothingStarts;
}

// Where calls start, and in what: this host or a container.
void add_place(Deployment& deployment, EngineValues values, const DeploymentRequest& request) {
    ToolContext& walls = deployment.walls;
    walls = std::move(values.context);
    walls.wide_workspace = request.wide_workspace;
    walls.same_workspace = request.same_workspace;
    walls.scratch = request.scratch;
    walls.working_dir = request.start_directory;
    if (walls.workspace.empty()) walls.workspace = own_working_dir().value_or(fs::path());
    walls.allowed_paths = request.allowed_paths;
    if (walls.allowed_paths)
        for (fs::path& path : *walls.allowed_paths)
            if (!path.empty()) path = walls.workspace / path;
    if (!values.container) return;
    deployment.container = std::move(values.container);
    deployment.container->workspace = walls.workspace;
    if (deployment.configured.memo.value == "writable") return;
    for (const std::string_view name : deployment.contract->defaults.read_only)
        deployment.container->always_read_only.emplace_back(name);
}

// Complains if the contract cannot do what the configuration asks for.
std::expected<void, Complaints> check_offer(const Deployment& deployment,
                                            const DeploymentRequest& request) {
    const config::Settings& settings = deployment.configured;
    const std::string& chosen = settings.contract.value;
    if (settings.place.value == "container" && !deployment.contract->defaults.in_container)
        return complaint("the contract " + chosen +
                         " cannot run in a container; those that can are agentrail and husk");
    if (settings.place.value == "container" && !request.start_directory.empty())
        return complaint(
            "in a container, calls start in the workspace; leave ToolContext::working_dir empty");
    if (settings.place.value == "container" && request.allowed_paths)
        return complaint(
            "a container shows the workspace and nothing else of this machine; leave "
            "ToolContext::allowed_paths empty");
    if (const std::string why = config::network_refusal(settings); !why.empty())
        return complaint("network: " + why);
    return {};
}

}  // namespace

std::expected<Deployed, Complaints> deploy(const DeploymentRequest& request) {
    const auto configuration =
        TRY(read_with_contract(request.config, request.flags, Contracts::Any));
    Deployment deployment;
    deployment.configured = configuration.settings;
    deployment.contract = contract::find_contract(deployment.configured.contract.value);
    if (deployment.contract == nullptr)
        return complaint("there is no contract " + deployment.configured.contract.value);
    CHECK(check_offer(deployment, request));
    EngineValues values = engine_values(configuration);
    deployment.settings = values.settings;
    deployment.settings.state = configuration.state;
    add_place(deployment, std::move(values), request);
    CHECK(check_paths(configuration, deployment.walls));
    make_directories_to_hold(configuration, reach_of(deployment.walls, deployment.configured));
    deployment.session = request.session;
    deployment.caller = request.caller;
    deployment.output_dir = TRY(output_dir_of(configuration, deployment.walls));
    deployment.docware = docware_settings(configuration);
    deployment.docware.may_preserve_environment |= request.may_preserve_environment;
    const bool all = request.all_arguments || deployment.configured.tools.value == "full";
    if (all) deployment.arguments = contract::Situation::Arguments::All;
    const std::string missing = closed_modes_missing(deployment.walls);
    const bool needs_walls = deployment.walls.mode != Mode::Open && !deployment.container;
    if (needs_walls && !missing.empty() && ends_without_walls(deployment))
        return complaint(cannot_be_built(deployment.walls.mode, missing));
    deployment.rules = TRY(usable_rules(configuration));
    deployment.notes = notes_on(configuration);
    deployment.users_file = configuration.files.own();
    // Most contracts have no place for notes in their answers.
    std::vector<std::string> warnings = deployment.notes;
    for (const decide::Problem& problem : decide::dead_refusals(configuration.settings.rules))
        warnings.push_back(to_text(problem.where) + ": warning: " + problem.message);
    std::vector<SourceFile> sources = configuration.sources;
    const ToolContext reach = reach_of(deployment.walls, deployment.configured);
    for (SourceFile& source : sources)
        source.fixed_because = is_beside(source.path, configuration)
                                   ? why_fixed_beside(source.path, reach)
                                   : why_fixed(source.path, reach);
    return Deployed{std::move(deployment), std::move(warnings), std::move(sources)};
}

Result<void> check_deployment(const Deployment& deployment) {
    const bool calls_can_run =
        ends_without_walls(deployment) || closed_modes_missing(deployment.walls).empty();
    if (!deployment.container && calls_can_run) {
        CHECK(check_walls(deployment.walls, deployment.settings));
    } else {
        CHECK(confine::open_working_directory(deployment.walls.workspace));
    }
    CHECK(proxy::check_hosts(deployment.walls.network.hosts));
    if (!deployment.session.empty()) CHECK(run::check_session_name(deployment.session));
    CHECK(run::StateDir::open_or_make(deployment.settings.state));
    return {};
}

std::string missing_walls(const Deployment& deployment) {
    if (deployment.container) return "";
    const std::string missing = closed_modes_missing(deployment.walls);
    if (missing.empty()) return "";
    if (deployment.walls.mode != Mode::Open)
        return "no sandbox can be built here, so every command is refused: " + missing +
               "; `husk doctor` tells more";
    return "only the mode open is offered, with checks and without walls: " + missing;
}

std::vector<std::string> notes_on(const Configuration& configuration) {
    const ConfigurationFiles& files = configuration.files;
    const std::string agents = files.agents.string();
    const std::pair<std::string, std::string> all[] = {
        {files.here.string(), "husk config lists them, husk trust lets them count"},
        {agents, "husk config --contract " + configuration.settings.contract.value +
                     " lists them, husk trust " + agents + " lets them count"}};
    std::vector<std::string> notes;
    for (const auto& [file, advice] : all) {
        const auto count = std::ranges::count_if(
            configuration.ignored, [&](const Complaint& one) { return one.where.file == file; });
        if (count == 0) continue;
        notes.push_back(file + " may only narrow, so " + std::to_string(count) +
                        " of its entries " + (count == 1 ? "does" : "do") + " not count; " +
                        advice);
    }
    return notes;
}

}  // namespace husk::tool
