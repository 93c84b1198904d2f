// --limit name=value, for every subcommand that starts something.
#pragma once

#include <husk/request.h>

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"

namespace husk::cli {

// "cpu=10s", "memory=2G", "processes=100", "files=1024", "file_size=1G", "disk=5G", "output=10M",
// "idle=30s", "wall=5m"; `none` lifts a limit. The last one of a name counts.
Result<void> set_limit(Request& request, const std::string& text);

// Adds --limit, which may be repeated. The request must outlive the parsing.
CLI::Option* add_limit_option(CLI::App& app, Request& request);

}  // namespace husk::cli
