// The names that mounts give to one directory of a file system.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace husk::confine {

struct MountedTree {
    uint64_t number;
    uint64_t parent;              // the number of the mount that it is mounted on
    std::string device;           // "8:1"
    std::filesystem::path root;   // in its file system
    std::filesystem::path point;  // where it is mounted
    std::string type;             // of the file system
};

// The lines of /proc/self/mountinfo.
std::vector<MountedTree> mounted_trees(std::string_view mountinfo);

// Those of this process.
Result<std::vector<MountedTree>> mounted_trees_now();

// The mount that a path leads into; null if there is none.
const MountedTree* tree_of(const std::filesystem::path& path,
                           const std::vector<MountedTree>& trees);

struct OtherName {
    std::filesystem::path name;
    std::filesystem::path object;  // what it leads to, by its usual name: a path or a part of it
};

// All other names of the object at `path`, and of parts of it, through bind mounts.
std::vector<OtherName> names_elsewhere(const std::filesystem::path& path,
                                       const std::vector<MountedTree>& trees);
// Only the names.
std::vector<std::filesystem::path> other_names(const std::filesystem::path& path,
                                               const std::vector<MountedTree>& trees);

}  // namespace husk::confine
