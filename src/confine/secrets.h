// What no closed session may read, unless it is given on purpose.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

namespace husk::confine {

// Below a home directory.
std::span<const char* const> secrets_of_home();

// Of the system, and in the homes of others: what root could read otherwise. Homes are those below
// /home, and those in /etc/passwd that hold a secret now.
std::vector<std::filesystem::path> secrets_of_system();

}  // namespace husk::confine
