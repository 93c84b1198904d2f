#include "decide/suggest.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "decide/expansion.h"
#include "decide/runners.h"
#include "decide/short_rule.h"
#include "parse/subcommands.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Script;
using parse::Word;

constexpr size_t longest_pattern = 100;

// Programs whose first word that is no option says what they do.
constexpr std::string_view with_subcommands =
    "git npm pnpm yarn cargo docker podman kubectl helm go pip pip3 poetry uv apt apt-get brew "
    "rustup dotnet terraform gh aws gcloud az bundle gem composer mix conda systemctl journalctl "
    "nix flutter dart ansible vagrant make just task bazel gradle mvn svn hg";

// Subcommands of which the next word says more.
constexpr std::array<std::string_view, 14> groups = {
    "npm run",      "pnpm run",      "yarn run",       "docker compose", "docker container",
    "docker image", "docker volume", "docker network", "gh pr",          "gh issue",
    "gh repo",      "git remote",    "git stash",      "git worktree"};

// Subcommands that run what they are told, like the interpreters.
constexpr std::array<std::string_view, 18> runners = {
    "npm exec",   "npm x",       "pnpm exec",  "pnpm dlx",    "yarn exec",    "yarn dlx",
    "docker run", "docker exec", "podman run", "podman exec", "kubectl exec", "kubectl run",
    "poetry run", "uv run",      "conda run",  "bundle exec", "nix run",      "go run"};

template <size_t N>
bool lists(const std::array<std::string_view, N>& table, const std::string& text) {
    return std::ranges::find(table, text) != table.end();
}

// What may stand in a pattern and mean itself.
bool is_plain(const Word& word) {
    const auto text = word.value();
    return text && !text->empty() && text->find_first_of("*\n\t\r") == std::string::npos &&
           !text->contains("  ") && !text->starts_with(' ') && !text->ends_with(' ');
}

// The words at the start that a pattern can name.
std::vector<std::string> plain_start(const Command& command) {
    std::vector<std::string> words;
    for (const Word& word : command.words) {
        if (!is_plain(word)) break;
        words.push_back(*word.value());
    }
    return words;
}

std::string joined(const std::vector<std::string>& words, size_t count) {
    std::string line;
    for (size_t i = 0; i < count; ++i) line += (i == 0 ? "" : " ") + words[i];
    return line;
}

// How many words name the program and its subcommand; 0 when there is no subcommand.
size_t up_to_subcommand(const std::vector<std::string>& words, const std::string& program) {
    const parse::Subcommands* table = parse::subcommands_of(program);
    for (size_t i = 1; i < words.size(); ++i) {
        const parse::Leading option = table ? parse::leading_option(known_word(words[i]), *table)
                                      : words[i].starts_with('-') ? parse::Leading::Alone
                                                                  : parse::Leading::Operand;
        if (option == parse::Leading::WithNext) ++i;
        if (option != parse::Leading::Operand) continue;
        const bool group = lists(groups, program + " " + words[i]);
        return group && i + 1 < words.size() ? i + 2 : i + 1;
    }
    return 0;
}

bool runs_what_it_is_told(const std::vector<std::string>& words, const std::string& program) {
    if (decide::runs_what_it_is_told(program)) return true;
    for (size_t i = 1; i < words.size(); ++i) {
        if (lists(runners, program + " " + words[i])) return true;
    }
    return false;
}

std::string pattern_for(const Command& command) {
    const std::string program = command.program();
    const std::vector<std::string> words = plain_start(command);
    if (words.empty() || runs_what_it_is_told(words, program)) return "";
    if (is_one_of(program, with_subcommands)) {
        const size_t count = up_to_subcommand(words, program);
        return count == 0 ? joined(words, words.size()) : joined(words, count) + ":*";
    }
    size_t count = words.size();
    while (count > 1 && joined(words, count).size() > longest_pattern) --count;
    const bool whole = count == command.words.size();
    return joined(words, count) + (whole ? "" : ":*");
}

}  // namespace

std::string suggest(const Script& script, size_t command) {
    if (!script.commands[command].opaque.empty()) return "";
    const std::string pattern = pattern_for(script.commands[command]);
    if (pattern.empty()) return "";
    const std::string rule = "Bash(" + pattern + ")";
    // A word may still look like something else in a pattern.
    const auto read = read_short_rule(rule);
    return read && surely_matches(*read, Subject(script, command, {}, {})) ? rule : "";
}

}  // namespace husk::decide
