// The control groups of this process.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace husk::os {

struct Cgroup {
    std::string controllers;  // of version 1, separated by commas; empty: version 2
    std::filesystem::path directory;
};

// The cgroups of a process by its /proc/<pid>/cgroup and /proc/<pid>/mountinfo: those that
// are mounted where it can reach them.
std::vector<Cgroup> cgroups_in(std::string_view memberships, std::string_view mounts);

std::vector<Cgroup> own_cgroups();

// "a,b" as {a, b}.
std::vector<std::string> split_list(const std::string& list, char separator);

}  // namespace husk::os
