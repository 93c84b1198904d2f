// How mistakes on the command line are told, and how --help begins.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

namespace husk::cli {

// What is wrong with the words on the command line, and what to do about it.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error);

// "there is no option --mdoe; did you mean --mode?"
std::string no_such_option(const CLI::App& app, const std::string& word);

// Names what the subcommands take that the parser of options does not know of.
std::shared_ptr<CLI::FormatterBase> usage_lines();

// husk help [SUBCOMMAND], husk version
void add_help(CLI::App& app, int& code);

}  // namespace husk::cli
