#include "cli/tool_options.h"

#include <cstdlib>

#include "cli/consent.h"
#include "cli/contract_settings.h"
#include "cli/terminal.h"
#include "confine/checks.h"
#include "contract/modes.h"
#include "request/settings_layers.h"
#include "tool/configuration.h"
#include "tool/engine_values.h"
#include "tool/plan_call.h"

namespace husk::cli {
namespace {

namespace fs = std::filesystem;
using Complaints = std::vector<Complaint>;

std::unexpected<Complaints> complaint(std::string message) {
    return std::unexpected(Complaints{{{}, std::move(message)}});
}

// As the user knows it: through links, if PWD says so and is right.
fs::path own_working_directory() {
    std::error_code failed;
    const char* logical = std::getenv("PWD");  // NOLINT(concurrency-mt-unsafe)
    const bool right =
        logical != nullptr && logical[0] == '/' && fs::equivalent(logical, ".", failed);
    return right ? fs::path(logical) : fs::current_path(failed);
}

std::string cannot_be_built(Mode mode, const std::string& why) {
    return std::string("the mode ") + contract::word(mode) +
           " cannot be had on this machine: " + why +
           "; `husk doctor` tells more, `--mode open` runs without walls. Landlock takes Linux "
           "5.13 "
           "or later, 6.7 or later to close the network, 6.12 or later to confine signals";
}

std::expected<decide::Rules, std::string> rules_again(const ToolOptions& options) {
    const auto again = read_with_contract(options.config, options.flags, Contracts::Any);
    auto rules = again ? tool::usable_rules(*again) : std::unexpected(again.error());
    if (rules) return *std::move(rules);
    return std::unexpected(rules.error().empty() ? std::string() : rules.error()[0].message);
}

}  // namespace

void add_tool_options(CLI::App& app, ToolOptions& options) {
    add_contract_options(app, options.flags, options.config);
    app.add_flag("--force", options.force, "A workspace that holds / or a home is meant");
    app.add_option("--session", options.session, "Use the session of this name");
    app.add_flag("--all-arguments", options.all_arguments,
                 "Schemas show every argument, also those that are seldom needed");
    app.add_flag("--may-preserve-environment", options.may_preserve_environment,
                 "Calls of the contract docware may ask for this program's environment");
}

std::expected<tool::Deployment, Complaints> deployment_of(const ToolOptions& options) {
    const auto configuration =
        TRY(read_with_contract(options.config, options.flags, Contracts::Any));
    const std::string& chosen = configuration.settings.contract.value;
    tool::Deployment deployment;
    deployment.contract = contract::find_contract(chosen);
    if (deployment.contract == nullptr) return complaint("there is no contract " + chosen);
    const contract::Defaults& defaults = deployment.contract->defaults;
    if (configuration.settings.place.value == "container" && !defaults.in_container)
        return complaint("the contract " + chosen +
                         " cannot run in a container; those that can are agentrail and husk");
    if (const std::string why = config::network_refusal(configuration.settings); !why.empty())
        return complaint("network: " + why);
    tool::EngineValues values = tool::engine_values(configuration);
    deployment.configured = configuration.settings;
    deployment.settings = values.settings;
    deployment.settings.state = configuration.state;
    deployment.walls = std::move(values.context);
    deployment.walls.wide_workspace = options.force;
    if (deployment.walls.workspace.empty()) deployment.walls.workspace = own_working_directory();
    if (values.container) {
        deployment.container = std::move(values.container);
        deployment.container->workspace = deployment.walls.workspace;
        for (const std::string_view name : defaults.read_only_in_container)
            deployment.container->always_read_only.emplace_back(name);
    }
    deployment.session = options.session;
    deployment.docware = tool::docware_settings(configuration);
    deployment.docware.may_preserve_environment |= options.may_preserve_environment;
    const bool all = options.all_arguments || configuration.settings.tools.value == "full";
    if (all) deployment.arguments = contract::Situation::Arguments::All;
    const std::string missing = tool::closed_modes_missing(deployment.walls);
    const bool needs_walls = deployment.walls.mode != Mode::Open && !deployment.container;
    if (needs_walls && !missing.empty())
        return complaint(cannot_be_built(deployment.walls.mode, missing));
    deployment.rules = TRY(tool::usable_rules(configuration));
    tell_dead_rules(configuration.settings.rules);
    deployment.notes = notes_on(configuration.ignored);
    deployment.memory = {configuration.files.own(), [options] { return rules_again(options); }};
    return deployment;
}

void warn_of_missing_walls(const tool::Deployment& deployment) {
    if (deployment.container) return;
    const std::string missing = tool::closed_modes_missing(deployment.walls);
    if (!missing.empty())
        fail("warning: only the mode open is offered, with checks and without walls: " + missing);
}

Result<void> check_before_serving(const tool::Deployment& deployment) {
    warn_of_missing_walls(deployment);
    if (!deployment.container) return tool::check_walls(deployment.walls, deployment.settings);
    CHECK(confine::open_working_directory(deployment.walls.workspace));
    return {};
}

}  // namespace husk::cli
