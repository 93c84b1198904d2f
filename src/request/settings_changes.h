// What is different between two configurations, in words for people.
#pragma once

#include <string>
#include <vector>

#include "request/settings.h"

namespace husk::config {

// One text for each difference, with the key first: "limits.memory: 1G, was 2G",
// "permissions.deny: added Bash(curl:*)". Values of environment variables and commands that a
// person approved are left out: they may hold secrets. Empty if the same is in force.
std::vector<std::string> changes(const Settings& before, const Settings& after);

}  // namespace husk::config
