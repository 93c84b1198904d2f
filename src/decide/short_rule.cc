#include "decide/short_rule.h"

#include <algorithm>

#include "decide/command_text.h"
#include "decide/variables.h"

namespace husk::decide {
namespace {

using parse::Command;

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

// The words of a command stand one space apart, so those of a pattern do too.
std::string single_spaced(std::string_view text) {
    std::string out;
    for (const char c : trimmed(text)) {
        const bool blank = blanks.contains(c);
        if (blank && out.ends_with(' ')) continue;
        out += blank ? ' ' : c;
    }
    return out;
}

Letters line_of(std::string_view pattern) {
    // "git:*" and "git *" match "git" as well; so does "git", which has no star at all.
    const bool ends_open = pattern.ends_with(":*") || pattern.ends_with(" *");
    const bool has_star = pattern.contains('*');
    if (ends_open) pattern.remove_suffix(2);

    Letters line = starred(pattern);
    // It counts as a space, but "npm run test:unit" must also mean what it says.
    if (const size_t colon = line.find(u':'); colon != Letters::npos) line[colon] = space_or_colon;
    if (ends_open || !has_star) line += {maybe_space, any_text};
    return line;
}

Match match_text(const ShortPattern& pattern, const CommandText& command) {
    const auto& [line, shown, certain] = command;
    const Text& text = pattern.by_path ? line.by_path : line.by_name;
    if (pattern.glob.covers(text)) return certain ? Match::Yes : Match::Maybe;
    if (text.is_known()) return Match::No;
    // "deny: Bash(rm -rf $HOME)" means the words as they are written.
    if (pattern.glob.covers(pattern.by_path ? shown.by_path : shown.by_name))
        return certain ? Match::Yes : Match::Maybe;
    return pattern.glob.meets(text) ? Match::Maybe : Match::No;
}

std::unexpected<std::string> invalid(std::string_view why) {
    return std::unexpected("Invalid permission rule: " + std::string(why));
}

}  // namespace

std::expected<ShortPattern, std::string> read_short_rule(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) return invalid("empty string");
    const size_t open = text.find('(');
    if (open == std::string_view::npos)
        return ShortPattern{.tool = std::string(text), .text = {}, .everything = true};

    if (!text.ends_with(')')) return invalid("missing closing parenthesis");
    const std::string_view tool = trimmed(text.substr(0, open));
    if (tool.empty()) return invalid("tool name is empty");
    const std::string pattern = single_spaced(text.substr(open + 1, text.size() - open - 2));
    if (pattern.empty()) return invalid("pattern inside parentheses is empty");

    const std::string_view first = std::string_view(pattern).substr(0, pattern.find(' '));
    Letters line = line_of(pattern);
    return ShortPattern{.tool = std::string(tool),
                        .text = pattern,
                        .everything = pattern.find_first_not_of("*:") == std::string::npos,
                        .by_path = first.contains('/') || first.starts_with('~'),
                        .line = line,
                        .glob = Glob(line)};
}

Match may_match(const ShortPattern& pattern, const Subject& subject) {
    if (pattern.everything) return Match::Yes;
    if (subject.command.words.empty()) return Match::No;
    Match best = match_text(pattern, subject.text);
    for (const CommandText& reading : subject.readings) {
        if (best == Match::Yes) break;
        best = std::max(best, match_text(pattern, reading));
    }
    return best;
}

bool surely_matches(const ShortPattern& pattern, const Subject& subject) {
    if (pattern.everything) return true;
    const Command& command = subject.command;
    if (command.words.empty()) return false;
    if (sets_what_runs(command)) return false;
    const bool by_name = !pattern.by_path && is_system_program(command);
    return pattern.glob.covers(by_name ? subject.text.line.by_name : subject.text.line.by_path);
}

}  // namespace husk::decide
