// Options that say what husk.yaml could say too.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "request/settings.h"

namespace husk::cli {

// The value of the option goes to the key of this name: "mode", "timeouts.default". A path counts
// as it does in a file; only that of the state directory may be relative to where the user is. The
// flags must outlive the parsing.
CLI::Option* add_setting(CLI::App& app, const std::string& option, config::Settings& flags,
                         const std::string& key, const std::string& description);

// --cwd DIR
void add_working_directory(CLI::App& app, config::Settings& flags);

// --env NAME=value, or NAME to unset it
void add_variables(CLI::App& app, config::Settings& flags);

// From where the user is, or with `~/` from the home directory. One that cannot be made so is an
// error of the option.
std::string absolute(const std::string& option, const std::string& path);

// The same for a working directory. A relative path that leaves the current directory
// through a symbolic link is an error: a command may have put the link there.
std::string absolute_below(const std::string& option, const std::string& path);

}  // namespace husk::cli
