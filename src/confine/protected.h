// What stays read-only inside a root that may be written: files that others trust.
#pragma once

#include <filesystem>
#include <vector>

#include "confine/steps.h"
#include "confine/wanted.h"

namespace husk::confine {

struct Protected {
    std::vector<std::filesystem::path> present;  // held by mounts
    std::vector<std::filesystem::path> absent;   // watched: they may not come
};

// Of all roots, as things are now.
Protected find_protected(const Wanted& wanted);

// Each is mounted on itself, read-only, and so is every directory above it up to its root: a
// directory that is a mount can be neither renamed nor removed.
void add_protection(const Wanted& wanted, const std::vector<std::filesystem::path>& present,
                    Steps& steps);

}  // namespace husk::confine
