#include "request/environment.h"

#include <unistd.h>

#include <string_view>

namespace husk {

std::vector<std::string> command_environment(
    const std::map<std::string, std::optional<std::string>>& changes,
    const std::filesystem::path& working_dir) {
    std::vector<std::string> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::string name(text.substr(0, text.find('=')));
        if (name == "PWD" || name == "OLDPWD" || changes.contains(name)) continue;
        result.emplace_back(text);
    }
    result.push_back("PWD=" + working_dir.string());
    for (const auto& [name, value] : changes)
        if (value) result.push_back(name + "=" + *value);
    return result;
}

std::map<std::string, std::optional<std::string>> agent_environment() {
    return {{"TERM", "dumb"},     {"PAGER", "cat"},
            {"GIT_PAGER", "cat"}, {"GIT_TERMINAL_PROMPT", "0"},
            {"NO_COLOR", "1"},    {"DEBIAN_FRONTEND", "noninteractive"}};
}

}  // namespace husk
