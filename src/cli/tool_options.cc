#include "cli/tool_options.h"

#include <algorithm>
#include <cstdlib>

#include "cli/consent.h"
#include "cli/limit_option.h"
#include "cli/setting_option.h"
#include "cli/terminal.h"
#include "cli/wall_options.h"
#include "decide/check.h"
#include "tool/configuration.h"
#include "tool/engine_values.h"

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

std::string needs_landlock(const std::string& why) {
    return "Restricted mode needs Landlock: Linux 5.13 or later, 6.7 or later to close the "
           "network, 6.12 or later to confine signals. On this machine: " +
           why;
}

// What a contract has where no file and no flag says otherwise.
config::Settings built_in_of(const contract::Defaults& defaults, const std::string& place) {
    config::Settings settings;
    const auto packs = place == "container" ? defaults.packs_in_container : defaults.packs;
    settings.mode.value = defaults.mode;
    settings.variables.clear();  // what a command finds is for the contract to say
    for (const decide::Pack* pack : decide::all_packs())
        settings.rules.packs[std::string(pack->name)] =
            std::ranges::find(packs, pack->name) != packs.end();
    return settings;
}

std::expected<decide::Rules, std::string> rules_again(const ToolOptions& options) {
    auto again = deployment_of(options);
    if (again) return std::move(again->rules);
    return std::unexpected(again.error().empty() ? std::string() : again.error()[0].message);
}

}  // namespace

void add_tool_options(CLI::App& app, ToolOptions& options) {
    add_setting(app, "--contract", options.flags, "contract",
                "The face of the tools: husk (default), ...");
    add_wall_options(app, options.flags);
    add_place_option(app, options.flags);
    add_limit_option(app, options.flags);
    add_working_directory(app, options.flags);
    app.add_option("--session", options.session, "Use the session of this name");
    app.add_flag("--all-arguments", options.all_arguments,
                 "Schemas show every argument, also those that are seldom needed");
    app.add_flag("--may-preserve-environment", options.may_preserve_environment,
                 "Calls of the contract docware may ask for this program's environment");
    add_setting(app, "--state", options.flags, "state", state_description);
    add_config(app, options.config);
}

std::expected<tool::Deployment, Complaints> deployment_of(const ToolOptions& options) {
    // Which contract it is may stand in a file, and what is built in depends on it.
    const auto first = TRY(tool::read_configuration(options.config, options.flags));
    tool::Deployment deployment;
    deployment.contract = contract::find_contract(first.settings.contract.value);
    if (deployment.contract == nullptr)
        return complaint("there is no contract " + first.settings.contract.value);
    const contract::Defaults& defaults = deployment.contract->defaults;
    const std::string& place = first.settings.place.value;
    if (place == "container" && !defaults.in_container)
        return complaint("the contract " + first.settings.contract.value +
                         " cannot run in a container; those that can are agentrail and husk");
    const auto configuration =
        TRY(tool::read_configuration(options.config, options.flags, built_in_of(defaults, place)));
    tool::EngineValues values = tool::engine_values(configuration);
    deployment.configured = configuration.settings;
    deployment.settings = values.settings;
    deployment.walls = std::move(values.context);
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
    if (needs_walls && !missing.empty()) return complaint(needs_landlock(missing));
    deployment.rules = TRY(tool::usable_rules(configuration.settings.rules));
    deployment.notes = notes_on(configuration.ignored);
    deployment.memory = {configuration.files.own(), [options] { return rules_again(options); }};
    return deployment;
}

}  // namespace husk::cli
