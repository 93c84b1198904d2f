// What the commands that offer tools have in common: which contract, and what its tools are given.
#pragma once

#include <CLI/CLI.hpp>
#include <expected>
#include <string>
#include <vector>

#include "tool/deployment.h"

namespace husk::cli {

using ToolOptions = tool::DeploymentRequest;

// The options that choose a contract and change what it brings along, and --config. Both must
// outlive the parsing.
void add_contract_options(CLI::App& app, config::Settings& flags, std::string& config);

// The options above, and those for how the tools are offered.
void add_tool_options(CLI::App& app, ToolOptions& options);

// Complaints are about the options or about the configuration. Rules that cannot do what they
// are there for are told on standard error.
std::expected<tool::Deployment, std::vector<Complaint>> deployment_of(const ToolOptions& options);

// For a server that starts: returns why it could never run a command, and warns on standard error
// of walls that this machine lacks.
Result<void> check_before_serving(const tool::Deployment& deployment);
// As long as the result lives, reports each changed configuration on standard error.
tool::Toolbox::Listening tell_of_configuration(const tool::Toolbox& toolbox);
// Warns on standard error of walls that this machine lacks.
void warn_of_missing_walls(const tool::Deployment& deployment);

}  // namespace husk::cli
