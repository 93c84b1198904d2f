// Which files say what a command may do, and all that is in force: built in, the user's file, the
// workspace's, variables, flags.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "decide/rules.h"
#include "os/file_stamp.h"
#include "request/rules_file.h"
#include "request/settings.h"

namespace husk::tool {

struct ConfigurationFiles {
    std::filesystem::path named;  // by --config or HUSK_CONFIG: then it is the only one
    std::filesystem::path users;  // the user's own
    // Beside the work: they may only narrow, unless they are trusted.
    std::filesystem::path here;
    std::filesystem::path agents;  // belongs to the agent whose contract is in force, if it has one

    // The one that is the user's to change.
    const std::filesystem::path& own() const { return named.empty() ? users : named; }
};

// A file that the configuration depends on, also a missing one, as it was when it was read.
struct SourceFile {
    enum class Kind { Settings, Trust };  // Trust: the list of trusted files
    Kind kind = Kind::Settings;
    std::filesystem::path path;
    os::FileStamp stamp = {};              // taken before it was read
    std::optional<std::string> text = {};  // none: there was no such file
    std::string fixed_because = {};        // why a change of it does not count before a restart
};

// What a file beside the work counts for.
enum class Standing { Nothing, Narrows, Trusted };

struct Configuration {
    config::Settings settings;
    ConfigurationFiles files;
    Standing here = Standing::Nothing;
    Standing agents = Standing::Nothing;
    std::vector<Complaint> ignored;       // in the files beside the work
    std::vector<RuleTexts> rules_beside;  // all of each such file that may only narrow
    std::filesystem::path workspace;      // absolute; empty: where this process is
    std::filesystem::path state;          // never empty
    std::vector<SourceFile> sources;      // all files that the fields above were made of
};

// By HUSK_CONFIG and XDG_CONFIG_HOME; `named` may be empty. Without those beside the work.
ConfigurationFiles find_configuration(const std::filesystem::path& named);

// The settings below all files, and the name of the agent's own file in the workspace (empty:
// none). Both may depend on what the other files say.
struct Below {
    config::Settings settings = {};
    std::string agents_file = {};
};

// What a contract adds to a configuration. Both functions may depend on the `chosen` settings.
struct OfContract {
    std::function<Below(const config::Settings& chosen)> below = {};
    // Replaces the general settings of one file by its settings for this contract alone.
    std::function<std::expected<void, std::vector<Complaint>>(config::Settings& file,
                                                              const config::Settings& chosen)>
        specialize = {};
};

// `named` may be empty. A file that does not exist, or lies where this user may not look, says
// nothing, unless it was named. Without a contract it is that of `husk run`.
std::expected<Configuration, std::vector<Complaint>> read_configuration(
    const std::filesystem::path& named, const config::Settings& flags,
    const OfContract& contract = {});

// The text of one file of rules, whole or not at all.
std::expected<std::string, std::vector<Complaint>> read_rules_text(
    const std::filesystem::path& path);

// Rules that can be used, or why they cannot. A mistake is one also in a rule that does not count.
std::expected<decide::Rules, std::vector<Complaint>> usable_rules(const RuleTexts& texts);
std::expected<decide::Rules, std::vector<Complaint>> usable_rules(
    const Configuration& configuration);

// Where commands of this configuration run, and where they are recorded; empty if nothing says so.
std::filesystem::path working_directory_of(const Configuration& configuration);
std::filesystem::path state_directory_of(const config::Settings& settings);

// The directory that relative paths in the configuration start from.
std::filesystem::path base_of(const Configuration& configuration);

// A path as it was written: `~/x` is in the home directory, `x` in `base`.
std::filesystem::path expanded(const std::string& written, const std::filesystem::path& base);

}  // namespace husk::tool
