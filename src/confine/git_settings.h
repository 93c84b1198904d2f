// What the settings of a repository make git do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace husk::confine {

// A setting as git reads it: "core.hookspath", or "remote.*.url" if the section has a name in
// quotes.
struct GitSetting {
    std::string key;
    std::string value;
};

struct ParsedSettings {
    std::vector<GitSetting> all;  // up to the first mistake
    bool is_whole = true;         // there was none
    bool is_usual = true;         // nothing is written as only a person with a purpose would
};

ParsedSettings parse_settings(std::string_view text);

// Whether the repository with these settings has hashes of 32 bytes.
bool uses_sha256(std::string_view text);

// Every directory that the settings name as the working tree, from the directory of git on.
std::vector<std::string> work_trees_in(std::string_view text);

// The first setting in a file of git that is not known to be harmless, such as "core.fsmonitor", or
// what cannot be understood of it; nothing when there is none. Known are those that run no program:
// the list of the others grows with git.
std::optional<std::string> risky_setting(std::string_view text);

// What else git obeys because the settings name it, with all that they could include.
struct NamedBySettings {
    std::vector<std::string> hooks;  // directories, from the checkout on
    std::vector<std::string>
        includes;  // files, from that of the settings on, whatever the condition
};
NamedBySettings named_by(std::string_view text);

}  // namespace husk::confine
