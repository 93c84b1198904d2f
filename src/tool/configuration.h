// Which files say what a command may do, and all of them together.
#pragma once

#include <expected>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decide/rules.h"
#include "request/rule_texts.h"
#include "request/rules_file.h"

namespace husk::tool {

struct ConfigurationFiles {
    std::filesystem::path named;  // by --config or HUSK_CONFIG: then it is the only one
    std::filesystem::path users;  // the user's own
    std::filesystem::path here;   // beside the work: it may only narrow
};

// By HUSK_CONFIG and XDG_CONFIG_HOME. `named` may be empty.
ConfigurationFiles find_configuration(const std::filesystem::path& named,
                                      const std::filesystem::path& working_dir);

struct Configuration {
    decide::Rules rules;
    std::vector<Complaint> ignored;  // in the file beside the work
};

// The packs that are on where no file says anything about them; none: as they are by themselves.
using PacksOn = std::optional<std::span<const std::string_view>>;

// A file that does not exist, or lies where this user may not look, says nothing, unless it
// was named.
std::expected<Configuration, std::vector<Complaint>> read_configuration(
    const ConfigurationFiles& files, const PacksOn& packs_on = std::nullopt);

// The text of one file of rules, whole or not at all.
std::expected<std::string, std::vector<Complaint>> read_rules_text(
    const std::filesystem::path& path);

// Rules that can be used, or why they cannot.
std::expected<decide::Rules, std::vector<Complaint>> usable_rules(const RuleTexts& texts);

}  // namespace husk::tool
