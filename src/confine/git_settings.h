// What the settings of a repository make git do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace husk::confine {

// The first setting in a file of git that is not known to be harmless, such as "core.fsmonitor", or
// what cannot be understood of it; nothing when there is none. Known are those that run no program:
// the list of the others grows with git.
std::optional<std::string> risky_setting(std::string_view text);

// What else git obeys because the settings name it. They are the user's: as git writes them.
struct NamedBySettings {
    std::vector<std::string> hooks;     // directories, from the checkout on
    std::vector<std::string> includes;  // files, from that of the settings on
};
NamedBySettings named_by(std::string_view text);

}  // namespace husk::confine
