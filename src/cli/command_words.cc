#include "cli/command_words.h"

#include "base/text.h"
#include "cli/usage.h"

namespace husk::cli {

std::expected<std::vector<std::string>, std::string> command_words(
    const CLI::App& subcommand, const std::vector<std::string>& behind_dashes) {
    std::vector<std::string> words = subcommand.remaining();
    const bool stranger = !words.empty() && (words[0].starts_with("-") || !behind_dashes.empty());
    if (stranger && words[0].starts_with("--"))
        return std::unexpected(no_such_option(subcommand, words[0]));
    if (stranger) {
        const std::string name = "husk " + subcommand.get_name();
        return std::unexpected(words[0] + " is not an option of " + name + "; see " + name +
                               " --help");
    }
    words.insert(words.end(), behind_dashes.begin(), behind_dashes.end());
    return words;
}

std::string as_command(const std::vector<std::string>& words) {
    return words.size() == 1 ? words[0] : text::quote_words(words);
}

}  // namespace husk::cli
