// What this kernel lets this user do here, found out by doing it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace husk::os {

struct Capability {
    std::string mechanism;
    bool available = false;
    std::string version = {};     // empty: there is nothing to tell
    std::string needed_for = {};  // or what it closes
    std::string without = {};     // what is lost
    std::string remedy = {};      // how to get it
    bool required = false;        // without it the engine does not run
    std::string why_not = {};     // the step that failed; empty if available
};

// What the engine is going to work with.
struct Surroundings {
    std::filesystem::path state;  // may not exist yet; nothing is made there that stays
};

struct Kernel {
    std::vector<Capability> capabilities;

    // Forks throw-away children, so it is for programs that may do that. When it returns, no
    // process, file or cgroup of it is left.
    static Kernel probe(const Surroundings& surroundings);

    // False when there is no such row, too.
    bool has(std::string_view mechanism) const;
    // The required ones that are not available: none if the engine works here.
    std::vector<Capability> missing() const;
};

}  // namespace husk::os
