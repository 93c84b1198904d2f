#include "cli/tool_options.h"

#include <cstdlib>

#include "cli/consent.h"
#include "cli/terminal.h"
#include "cli/wall_options.h"
#include "contract/modes.h"
#include "tool/configuration.h"

namespace husk::cli {
namespace {

namespace fs = std::filesystem;
using Complaints = std::vector<Complaint>;

std::unexpected<Complaints> complaint(std::string message) {
    return std::unexpected(Complaints{{{}, std::move(message)}});
}

std::vector<std::string> names_of_contracts() {
    std::vector<std::string> names;
    for (const contract::Contract* one : contract::all_contracts()) names.emplace_back(one->name);
    return names;
}

// As the user knows it: through links, if PWD says so and is right.
fs::path workspace_of(const std::string& cwd) {
    std::error_code failed;
    const char* logical = std::getenv("PWD");  // NOLINT(concurrency-mt-unsafe)
    const bool right =
        logical != nullptr && logical[0] == '/' && fs::equivalent(logical, ".", failed);
    const fs::path own = right ? fs::path(logical) : fs::current_path(failed);
    return cwd.empty() ? own : (own / cwd / "").lexically_normal().parent_path();
}

std::string needs_landlock(const std::string& why) {
    return "Restricted mode needs Landlock: Linux 5.13 or later, 6.7 or later to close the "
           "network, "
           "6.12 or later to confine signals. On this machine: " +
           why;
}

}  // namespace

void add_tool_options(CLI::App& app, ToolOptions& options) {
    app.add_option("--contract", options.contract, "The face of the tools: husk (default), ...")
        ->check(CLI::IsMember(names_of_contracts()));
    app.add_option(
           "--mode", options.mode,
           "What commands may touch: read-only, workspace, open; else as the contract has it")
        ->check(CLI::IsMember({"read-only", "workspace", "open"}));
    app.add_option("--network", options.network,
                   "In a closed mode: none (default), open, or hosts");
    app.add_option("--cwd", options.cwd, "The workspace, where calls start");
    app.add_option("--session", options.session, "Use the session of this name");
    app.add_option("--write", options.write, "One more directory that may be written")
        ->allow_extra_args(false);
    app.add_option("--read", options.read, "A secret that may be read all the same")
        ->allow_extra_args(false);
    app.add_option("--protect", options.protect, "Stays read-only even there")
        ->allow_extra_args(false);
    app.add_flag("--all-arguments", options.all_arguments,
                 "Schemas show every argument, also those that are seldom needed");
    add_state(app, options.settings);
    add_config(app, options.config);
}

std::expected<tool::Deployment, Complaints> deployment_of(const ToolOptions& options) {
    tool::Deployment deployment;
    deployment.contract = contract::find_contract(options.contract);
    const contract::Defaults& defaults = deployment.contract->defaults;
    deployment.settings = options.settings;
    deployment.workspace = workspace_of(options.cwd);
    deployment.session = options.session;
    deployment.mode = contract::mode_named(options.mode).value_or(defaults.mode);
    if (options.all_arguments) deployment.arguments = contract::Situation::Arguments::All;
    const std::string missing = tool::closed_modes_missing();
    if (deployment.mode != Mode::Open && !missing.empty())
        return complaint(needs_landlock(missing));
    ToolContext walls;
    const WallOptions wanted = {.mode = contract::word(deployment.mode),
                                .network = options.network,
                                .write = options.write,
                                .read = options.read,
                                .protect = options.protect};
    if (const auto applied = apply(wanted, deployment.workspace, walls); !applied)
        return complaint(applied.error().text());
    deployment.network = walls.network;
    deployment.writable = walls.writable;
    deployment.readable = walls.readable;
    deployment.protect = walls.protect;
    auto configuration = tool::read_configuration(
        tool::find_configuration(options.config, deployment.workspace), defaults.packs);
    if (!configuration) return std::unexpected(std::move(configuration).error());
    deployment.rules = std::move(configuration->rules);
    deployment.notes = notes_on(configuration->ignored);
    return deployment;
}

}  // namespace husk::cli
