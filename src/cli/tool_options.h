// What `husk call` and `husk tools` have in common: which contract, and what its tools are given.
#pragma once

#include <CLI/CLI.hpp>
#include <expected>
#include <string>
#include <vector>

#include "request/rules_file.h"
#include "tool/toolbox.h"

namespace husk::cli {

struct ToolOptions {
    std::string contract = "husk";
    std::string mode;  // empty: the contract's own
    std::string network;
    std::string cwd;
    std::string session;
    std::string config;
    std::vector<std::string> write;
    std::vector<std::string> read;
    std::vector<std::string> protect;
    bool all_arguments = false;
    Settings settings;
};

void add_tool_options(CLI::App& app, ToolOptions& options);

// Complaints are about the options or about the configuration.
std::expected<tool::Deployment, std::vector<Complaint>> deployment_of(const ToolOptions& options);

}  // namespace husk::cli
