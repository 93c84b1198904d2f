// --mode, --network, --write, --read and --protect: what a command may touch.
#pragma once

#include <CLI/CLI.hpp>

#include "request/settings.h"

namespace husk::cli {

// Paths count as they do in a file: `~/x` is in the home directory, `x` in the workspace.
void add_wall_options(CLI::App& app, config::Settings& flags);

// --place
void add_place_option(CLI::App& app, config::Settings& flags);

}  // namespace husk::cli
