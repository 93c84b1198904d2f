// What no closed session may read, unless it is given on purpose.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace husk::confine {

// Below a home directory.
std::span<const char* const> secrets_of_home();

// The same with paths in this home, and with those of the files in it whose names only begin like
// one on the list.
std::vector<std::filesystem::path> secrets_in(const std::filesystem::path& home);

// In the homes that /etc/passwd gives to the user, and in directories of the user's below /home:
// HOME may be unset, or name another directory.
std::vector<std::filesystem::path> secrets_of_user(uid_t user);

// The homes in the text of an /etc/passwd in which people live: those of uid 0 and of uids from
// 1000 on whose shell lets them log in.
std::vector<std::filesystem::path> homes_of_people(std::string_view passwd);
// The same on this machine, without links.
std::vector<std::filesystem::path> homes_of_people();

// Where variables such as CARGO_HOME, XDG_CONFIG_HOME and KUBECONFIG tell programs to keep their
// secrets.
std::vector<std::filesystem::path> secrets_named_by_variables();

// Of the system, and in the homes of others: what root could read otherwise. Homes are those below
// /home, and those in /etc/passwd that hold a secret now.
std::vector<std::filesystem::path> secrets_of_system();

}  // namespace husk::confine
