// `husk check --rules FILE` without a command: what a file of rules means here.
#pragma once

#include <string>

namespace husk::cli {

enum class Form { Text, Json };

// Prints what is wrong with it, what is suspicious, and what the rules of another program
// become. 0: clean; 1: there are errors; 2: there are only warnings.
int check_rules(const std::string& file, Form form);

}  // namespace husk::cli
