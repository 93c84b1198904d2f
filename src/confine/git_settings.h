// What settings make git do: those of a repository, of the user and of the machine.
#pragma once

#include <filesystem>
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

// The first setting in a file of git that is not known to be harmless, such as "core.fsmonitor", or
// what cannot be understood of it; nothing when there is none. Known are those that run no program:
// the list of the others grows with git.
std::optional<std::string> risky_setting(std::string_view text);

// A file or directory that may be there, and why Husk does not know what it holds.
struct Unreadable {
    std::filesystem::path path;
    std::string why;
    std::string included_by = {};  // empty: git finds it by itself
};

// What else git obeys because the settings name it, with all that they could include.
struct NamedBySettings {
    std::vector<std::string> hooks;      // directories, from the checkout on
    std::vector<std::string> templates;  // directories, likewise: copied into new repositories
    std::vector<std::string> includes;   // files, from that of the settings on
    std::vector<std::string> trees;      // working trees, from the directory of git on
    std::vector<std::string> remotes;    // repositories on this machine, from the checkout on
    bool uses_sha256 = false;            // the hashes of the repository have 32 bytes
    std::vector<Unreadable> unreadable;  // what may name more of all this
};
NamedBySettings named_by(std::string_view text);

// Adds to `named` what the file names, and what the files name that it includes, with absolute
// paths of these files. `home` stands for "~".
void add_named_by_file(const std::filesystem::path& settings, const std::filesystem::path& home,
                       NamedBySettings& named);

// The files with settings of the user and of the machine, whether they exist or not.
std::vector<std::filesystem::path> global_settings(const std::filesystem::path& home);

// Adds what the files name with settings of the user and of the machine, and what the environment
// names in their place.
void add_named_globally(const std::filesystem::path& home, NamedBySettings& named);

}  // namespace husk::confine
