// --mode, --network, --write, --read, --protect, --accept and --force: what a command may touch.
#pragma once

#include <husk/request.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace husk::cli {

struct WallOptions {
    std::string mode = "workspace";
    std::string network;  // empty: none
    std::vector<std::string> write;
    std::vector<std::string> read;
    std::vector<std::string> protect;
    std::string denials = "on";
    std::vector<std::string> accept;
    bool force = false;
};

void add_wall_options(CLI::App& app, WallOptions& options);

// Paths are made absolute. `working_dir` is where the call starts: its workspace.
Result<void> apply(const WallOptions& options, const std::filesystem::path& working_dir,
                   ToolContext& context);

}  // namespace husk::cli
