#include "cli/setting_option.h"

#include <algorithm>
#include <filesystem>

#include "base/terminal_text.h"
#include "request/setting_keys.h"
#include "tool/configuration.h"

namespace husk::cli {

CLI::Option* add_setting(CLI::App& app, const std::string& option, config::Settings& flags,
                         const std::string& key, const std::string& description) {
    const size_t dot = key.find('.');
    const config::Key* found = dot == key.npos
                                   ? config::find_key("", key)
                                   : config::find_key(key.substr(0, dot), key.substr(dot + 1));
    return app.add_option_function<std::string>(
        option,
        [option, found, &flags](const std::string& text) {
            // The state directory does not depend on the workspace.
            const bool is_state = found->place == config::Key::Place(&config::Settings::state);
            const auto done = config::set(flags, *found, is_state ? absolute(option, text) : text,
                                          config::from_flag(option));
            if (!done) throw CLI::ValidationError(option, done.error());
        },
        description);
}

void add_working_directory(CLI::App& app, config::Settings& flags) {
    app.add_option_function<std::string>(
        "--cwd",
        [&flags](const std::string& path) {
            flags.working_directory = {absolute_below("--cwd", path), config::from_flag("--cwd")};
        },
        "Working directory");
}

void add_variables(CLI::App& app, config::Settings& flags) {
    app.add_option_function<std::vector<std::string>>(
           "--env",
           [&flags](const std::vector<std::string>& entries) {
               for (const std::string& entry : entries) {
                   const size_t equals = entry.find('=');
                   if (equals == 0)
                       throw CLI::ValidationError("--env", "\"" + entry + "\" has no name");
                   auto value = equals == std::string::npos
                                    ? std::nullopt
                                    : std::optional<std::string>(entry.substr(equals + 1));
                   flags.variables[entry.substr(0, equals)] = {std::move(value),
                                                               config::from_flag("--env")};
               }
           },
           "NAME=value to set, NAME to unset; may be repeated")
        ->allow_extra_args(false);
}

std::string absolute(const std::string& option, const std::string& path) {
    std::error_code failed;
    std::string whole = std::filesystem::absolute(tool::expanded(path, ""), failed).string();
    if (path.empty() || failed)
        throw CLI::ValidationError(option, "\"" + path + "\" is no path that can be used");
    return whole;
}

std::string absolute_below(const std::string& option, const std::string& path) {
    namespace fs = std::filesystem;
    std::string whole = absolute(option, path);
    const fs::path given = tool::expanded(path, "");
    if (given.is_absolute() || std::ranges::find(given, "..") != given.end()) return whole;
    std::error_code failed;
    const fs::path here = fs::canonical(".", failed);
    const fs::path there = failed ? fs::path() : fs::canonical(whole, failed);
    if (failed || std::ranges::mismatch(here, there).in1 == here.end()) return whole;
    throw CLI::ValidationError(
        option, text::one_line("\"" + path + "\" leads through a link to " + there.string() +
                               "; give that path if it is meant"));
}

}  // namespace husk::cli
