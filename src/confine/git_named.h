// What else git obeys because settings name it: of a repository, and of the user and the machine.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "confine/seen_file.h"

namespace husk::confine {

struct NamedPaths {
    std::vector<std::filesystem::path>
        hooks;  // directories; a relative one is meant from a checkout
    std::vector<std::filesystem::path> files;  // that are included, whatever the condition is
};

// What the file names, and what it includes names in turn. `home` stands for "~".
NamedPaths named_by_file(const std::filesystem::path& settings, const std::filesystem::path& home);

struct GlobalSettings {
    std::filesystem::path home;
    NamedPaths named;
    std::vector<SeenFile> seen;  // all that was read, or is not there
};

// What the user's and the machine's own settings name. They are looked at twice a second at most,
// so a call that follows another costs no system call here.
std::shared_ptr<const GlobalSettings> global_settings(const std::filesystem::path& home);

}  // namespace husk::confine
