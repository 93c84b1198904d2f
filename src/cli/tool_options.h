// What the commands that offer tools have in common: which contract, and what its tools are given.
#pragma once

#include <CLI/CLI.hpp>
#include <expected>
#include <string>
#include <vector>

#include "request/rules_file.h"
#include "request/settings.h"
#include "tool/toolbox.h"

namespace husk::cli {

struct ToolOptions {
    config::Settings flags;
    std::string session;
    std::string config;
    bool all_arguments = false;
    bool may_preserve_environment = false;
};

void add_tool_options(CLI::App& app, ToolOptions& options);

// Complaints are about the options or about the configuration.
std::expected<tool::Deployment, std::vector<Complaint>> deployment_of(const ToolOptions& options);

}  // namespace husk::cli
