// The environment that a command gets.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace husk {

// This process's environment with `changes` on top (no value: taken out), PWD set to the
// working directory and OLDPWD gone, as NAME=value.
std::vector<std::string> command_environment(
    const std::map<std::string, std::optional<std::string>>& changes,
    const std::filesystem::path& working_dir);

// No pagers, no prompts, no colours: nobody is there to answer or to look.
std::map<std::string, std::optional<std::string>> agent_environment();

}  // namespace husk
