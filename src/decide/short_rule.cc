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

// Stars alone, or :* without a program. A colon alone is the program of that name.
bool is_everything(std::string_view pattern) {
    if (pattern == ":*") return true;
    return pattern.find_first_not_of('*') == std::string_view::npos;
}

Match match_text(const Glob& glob, const CommandText& command, bool by_path) {
    const auto& [line, shown, certain] = command;
    const Text& text = by_path ? line.by_path : line.by_name;
    if (glob.covers(text)) return certain ? Match::Yes : Match::Maybe;
    if (text.is_known()) return Match::No;
    // "deny: Bash(rm -rf $HOME)" means the words as they are written.
    if (glob.covers(by_path ? shown.by_path : shown.by_name))
        return certain ? Match::Yes : Match::Maybe;
    return glob.meets(text) ? Match::Maybe : Match::No;
}

Match match_readings(const Glob& glob, const Subject& subject, bool by_path) {
    Match best = match_text(glob, subject.text, by_path);
    for (const CommandText& reading : subject.readings) {
        if (best == Match::Yes) break;
        best = std::max(best, match_text(glob, reading, by_path));
    }
    return best;
}

// The pattern without the directory of its program, if that is one of the system's.
std::optional<Glob> without_directory(std::string_view program, const Letters& line) {
    const size_t slash = program.rfind('/');
    if (slash == std::string_view::npos || !is_system_directory(program.substr(0, slash)))
        return {};
    return Glob(line.substr(slash + 1));
}

// It is most likely the program of the system that has this name.
bool may_be_of_system(const Command& command) {
    if (is_system_program(command)) return true;
    const std::string path = direct_path(command);
    return !path.empty() && is_system_directory(path.substr(0, path.rfind('/')));
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
                        .everything = is_everything(pattern),
                        .by_path = first.contains('/') || first.starts_with('~'),
                        .line = line,
                        .glob = Glob(line),
                        .bare = without_directory(first, line)};
}

Match may_match(const ShortPattern& pattern, const Subject& subject) {
    if (pattern.everything) return Match::Yes;
    if (subject.command.words.empty()) return Match::No;
    const Match found = match_readings(pattern.glob, subject, pattern.by_path);
    if (found == Match::Yes || !pattern.bare || !may_be_of_system(subject.command)) return found;
    return std::max(found, match_readings(*pattern.bare, subject, false));
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
