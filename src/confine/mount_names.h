// The names that mounts give to one directory of a file system.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace husk::confine {

struct MountedTree {
    std::string device;           // "8:1"
    std::filesystem::path root;   // in its file system
    std::filesystem::path point;  // where it is mounted
};

// The lines of /proc/self/mountinfo.
std::vector<MountedTree> mounted_trees(std::string_view mountinfo);

// All other paths that lead to the object at `path`, or to a part of it, through bind mounts.
std::vector<std::filesystem::path> other_names(const std::filesystem::path& path,
                                               const std::vector<MountedTree>& trees);

}  // namespace husk::confine
