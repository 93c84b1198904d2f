// The command that a user has written on the command line, for the subcommands that take one.
#pragma once

#include <CLI/CLI.hpp>
#include <expected>
#include <string>
#include <vector>

namespace husk::cli {

// What the parser of options left over, or what stands behind "--". The error is for the user:
// before "--" there are only options, and each has a name we know.
std::expected<std::vector<std::string>, std::string> command_words(
    const CLI::App& subcommand, const std::vector<std::string>& behind_dashes);

// One word is a command for bash; several are an argument list, and stay one.
std::string as_command(const std::vector<std::string>& words);

}  // namespace husk::cli
