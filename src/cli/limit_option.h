// --limit name=value, for every subcommand that starts something.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/result.h"
#include "request/settings.h"

namespace husk::cli {

// "cpu=10s", "memory=2G", and what else husk.yaml has in `limits`; and "wall=5m", the timeout.
// `none` lifts a limit. The last one of a name counts.
Result<void> set_limit(config::Settings& flags, const std::string& text);

// Adds --limit, which may be repeated. The flags must outlive the parsing.
CLI::Option* add_limit_option(CLI::App& app, config::Settings& flags);

}  // namespace husk::cli
