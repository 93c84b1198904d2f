// What a contract brings along is a layer of the settings: above what is built in, below all files.
#pragma once

#include <CLI/CLI.hpp>
#include <expected>
#include <string>
#include <vector>

#include "tool/configuration.h"

namespace husk::cli {

enum class Contracts {
    Any,    // for tools: one is always in force
    Named,  // only one that a file or a flag names
};

// The configuration with that of the contract in it. Complaints as from tool::read_configuration.
std::expected<tool::Configuration, std::vector<Complaint>> read_with_contract(
    const std::string& named, const config::Settings& flags, Contracts which);

// The options that choose a contract and change what it brings along, and --config. Both must
// outlive the parsing.
void add_contract_options(CLI::App& app, config::Settings& flags, std::string& config);

}  // namespace husk::cli
