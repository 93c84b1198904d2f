// What a contract brings along is a layer of the settings: above what is built in, below all files.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tool/configuration.h"

namespace husk::tool {

enum class Contracts {
    Any,    // for tools: one is always in force
    Named,  // only one that a file or a flag names
};

// The configuration with that of the contract in it. Complaints as from read_configuration.
std::expected<Configuration, std::vector<Complaint>> read_with_contract(
    const std::string& named, const config::Settings& flags, Contracts which);

// Reads a file of the workspace: a husk.yaml or, by its name, the file of an agent.
std::expected<config::Settings, std::vector<Complaint>> read_file_beside(
    std::string_view text, const std::filesystem::path& file);

}  // namespace husk::tool
