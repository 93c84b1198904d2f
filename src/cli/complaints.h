// How `husk check` and `husk run` report what is wrong with the configuration.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "request/rules_file.h"
#include "tool/configuration.h"

namespace husk::cli {

// Each on a line of standard error, "husk: FILE:LINE: ...". Returns husk_failed.
int fail(const std::vector<Complaint>& complaints);

// Entries of the files in the workspace that do not count, and rules that can never apply, each on
// a line of standard error.
void tell_ignored(const tool::Configuration& configuration);
void tell_dead_rules(const RuleTexts& rules);

// The variables that a call sets itself: those of --env.
std::map<std::string, std::optional<std::string>> given_variables(const config::Settings& flags);

}  // namespace husk::cli
