// Rules that may stand there but cannot be meant.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/names.h"
#include "decide/command_text.h"
#include "decide/rules.h"
#include "decide/runners.h"

namespace husk::decide {
namespace {

constexpr const char* never_matches = " never matches: ";

// A rule that can be read, and where it stands.
struct Written {
    Decision decision;
    std::string text;
    Where where;
    ShortPattern pattern;
};

std::vector<Written> readable(const std::vector<ShortRule>& list, Decision decision) {
    std::vector<Written> rules;
    for (const ShortRule& rule : list) {
        auto pattern = read_short_rule(rule.text);
        if (pattern) rules.push_back({decision, rule.text, rule.where, *std::move(pattern)});
    }
    return rules;
}

std::string first_word(const ShortPattern& pattern) {
    return pattern.text.substr(0, pattern.text.find_first_of(" :"));
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return text;
}

bool is_assignment(std::string_view word) {
    const size_t equals = word.find('=');
    return equals != std::string_view::npos && equals > 0 &&
           word.substr(0, equals).find_first_not_of(
               "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
               std::string_view::npos;
}

// The other tools of agents: what rules say about them is not for commands to obey.
bool is_tool_of_agents(std::string_view tool) {
    return tool.starts_with("mcp__") ||
           is_one_of(tool,
                     "Agent AskUserQuestion BashOutput Edit EnterPlanMode ExitPlanMode Glob Grep "
                     "KillBash KillShell ListMcpResources LS LSP MultiEdit NotebookEdit "
                     "NotebookRead Read ReadMcpResource Skill SlashCommand Task TaskOutput "
                     "TaskStop TodoRead TodoWrite ToolSearch WebFetch WebSearch Write");
}

std::string why_no_command(const ShortPattern& pattern) {
    if (is_tool_of_agents(pattern.tool)) return "";
    if (lower(pattern.tool) == "bash") return "the tool is written Bash";
    const std::string no_tool = "\"" + pattern.tool + "\" is no tool; ";
    return no_tool + (pattern.text.empty() ? "write Bash(" + pattern.tool + ":*)"
                                           : "commands are matched by Bash(...)");
}

// Why it can never match; "" when it can.
std::string why_dead(const Written& rule) {
    const ShortPattern& pattern = rule.pattern;
    if (pattern.tool != "Bash") return why_no_command(pattern);
    for (const std::string_view sign : {"&&", "||", ";", "|", "&", ">", "<", ">>"}) {
        if ((" " + pattern.text + " ").contains(" " + std::string(sign) + " ") ||
            (sign == ";" && pattern.text.contains("; ")))
            return "rules see each simple command alone, without \"" + std::string(sign) +
                   "\"; write one rule for each command";
    }
    if (pattern.text.contains('"') || pattern.text.contains('\''))
        return "commands are compared after their quotes are removed; write it without quotes";
    if (is_assignment(first_word(pattern)))
        return "variables in front of a command are no part of it; start with the program";
    return "";
}

// Why it allows far more than it seems to; "" when it does not.
std::string why_too_broad(const Written& rule) {
    const ShortPattern& pattern = rule.pattern;
    if (rule.decision != Decision::Allow || pattern.tool != "Bash") return "";
    if (pattern.everything) return "it allows every command; name the programs that are meant";
    const std::string program = first_word(pattern);
    if (program.contains('*'))
        return program.starts_with('*')
                   ? "it allows any program; name the one that is meant"
                   : "it also allows other programs whose names begin like this; write " +
                         program.substr(0, program.find('*')) + ":*";
    if (!runs_what_it_is_told(std::string_view(program).substr(program.rfind('/') + 1))) return "";
    const size_t rest = pattern.text.find_first_not_of(" :*", program.size());
    const bool bare = rest == std::string::npos;
    const bool takes_code =
        !bare &&
        is_one_of(pattern.text.substr(rest, pattern.text.find_first_of(" :*", rest) - rest),
                  "-c -e -lc -ic -E -p -r --eval");
    return bare || takes_code
               ? program +
                     " runs whatever it is told, so this allows every command; name what "
                     "it may run"
               : "";
}

Letters as_text(const ShortPattern& pattern) {
    if (pattern.everything) return {any_text};
    Letters text = pattern.line;
    std::ranges::replace(text, space_or_colon, u' ');
    return text;
}

// By its bare name, as rules see it that name none by a path.
Letters without_directory(const Letters& text) {
    const size_t end = std::min(text.find(u' '), text.find(maybe_space));
    return name_of(text.substr(0, end)) + (end < text.size() ? text.substr(end) : Letters());
}

// Rules by the letters that everything begins with that they match, so that each needs to be
// compared with few others.
class RuleIndex {
public:
    explicit RuleIndex(const std::vector<Written>& rules) {
        std::set<std::tuple<Decision, std::string, std::string>> seen;
        for (size_t i = 0; i < rules.size(); ++i) {
            // The first of those that are written alike stands for all of them.
            const ShortPattern& pattern = rules[i].pattern;
            if (!seen.emplace(rules[i].decision, pattern.tool, pattern.text).second) continue;
            const Letters start = fixed_start(rules[i].pattern.line);
            lengths_.insert(start.size());
            starts_[start].push_back(i);
        }
    }

    // Those that may include the pattern, in their order.
    std::vector<size_t> candidates(const ShortPattern& pattern) {
        const Letters text = as_text(pattern);
        std::vector<size_t> found = starting_like(text);
        if (pattern.by_path)
            std::ranges::copy(starting_like(without_directory(text)), std::back_inserter(found));
        std::ranges::sort(found);
        const auto again = std::ranges::unique(found);
        found.erase(again.begin(), again.end());
        if (found.size() > left_) found.resize(left_);
        left_ -= found.size();
        return found;
    }

    // There were more rules alike than anybody can compare.
    bool gave_up() const { return left_ == 0; }

private:
    static char16_t without_colon(char16_t letter) {
        return letter == u':' || letter == space_or_colon ? u' ' : letter;
    }

    static Letters fixed_start(const Letters& line) {
        Letters start;
        for (const char16_t letter : line) {
            if (without_colon(letter) >= any_text) break;
            start += without_colon(letter);
        }
        return start;
    }

    std::vector<size_t> starting_like(const Letters& text) const {
        const Letters start = fixed_start(text);
        std::vector<size_t> found;
        for (const size_t length : lengths_) {
            if (length > start.size()) break;
            const auto same = starts_.find(start.substr(0, length));
            if (same == starts_.end()) continue;
            const size_t count = std::min(same->second.size(), left_ + 1);
            found.insert(found.end(), same->second.begin(),
                         same->second.begin() + static_cast<std::ptrdiff_t>(count));
        }
        return found;
    }

    std::set<size_t> lengths_;
    std::unordered_map<Letters, std::vector<size_t>> starts_;
    size_t left_ = 400'000;  // comparisons, which take microseconds
};

// Whatever the other matches, this one matches too.
bool includes(const ShortPattern& pattern, const ShortPattern& other) {
    if (pattern.tool != other.tool) return false;
    if (pattern.everything) return true;
    const Letters text = as_text(other);
    return pattern.glob.covers(
        Text(!pattern.by_path && other.by_path ? without_directory(text) : text));
}

// Why the rule never gets to decide; "" when it may.
std::string why_useless(const std::vector<Written>& rules, size_t index, RuleIndex& by_start) {
    const Written& rule = rules[index];
    if (rule.pattern.tool != "Bash") return "";
    for (const size_t i : by_start.candidates(rule.pattern)) {
        const Written& other = rules[i];
        if (i == index || !includes(other.pattern, rule.pattern)) continue;
        const std::string who = other.text + " at " + text_of(other.where);
        if (other.decision > rule.decision)
            return "it never decides, because " + who + " " +
                   (other.decision == Decision::Deny ? "denies" : "asks about") +
                   " all of it; take one of them away";
        if (other.decision != rule.decision) continue;
        const bool same = includes(rule.pattern, other.pattern);
        if (!same) return "it adds nothing to " + who + "; take it away";
        if (i < index) return "it says the same as " + who + "; take one of them away";
    }
    return "";
}

// Long rules are compared by what they match as a whole.
class LongRules {
public:
    // Why the rule is not needed beside those before it; "" when it is.
    std::string why_useless(const LongRule& rule) {
        const LongRule& same_id = *by_id_.try_emplace(rule.id, &rule).first->second;
        const LongRule& same_match =
            *by_match_.try_emplace(std::pair(rule.match, rule.writes), &rule).first->second;
        if (&same_id != &rule)
            return "another rule at " + text_of(same_id.where) +
                   " has the same id; give it a name of its own";
        if (&same_match != &rule)
            return "it matches the same as \"" + same_match.id + "\" at " +
                   text_of(same_match.where) + "; take one of them away";
        return "";
    }

private:
    using Patterns = std::pair<std::vector<std::vector<std::string>>, std::vector<std::string>>;
    std::map<std::string, const LongRule*> by_id_;
    std::map<Patterns, const LongRule*> by_match_;
};

}  // namespace

std::vector<Problem> dead_refusals(const RuleTexts& texts) {
    std::vector<Problem> problems;
    for (const auto& [list, decision] :
         {std::pair(&texts.deny, Decision::Deny), std::pair(&texts.ask, Decision::Ask)})
        for (const Written& rule : readable(*list, decision))
            if (const std::string why = why_dead(rule); !why.empty())
                problems.push_back({rule.where, rule.text + never_matches + why, false});
    return problems;
}

std::vector<Problem> lint(const RuleTexts& texts) {
    std::vector<Written> rules = readable(texts.allow, Decision::Allow);
    for (const auto& [list, decision] :
         {std::pair(&texts.ask, Decision::Ask), std::pair(&texts.deny, Decision::Deny)}) {
        const std::vector<Written> more = readable(*list, decision);
        rules.insert(rules.end(), more.begin(), more.end());
    }

    std::vector<Problem> problems;
    const auto report = [&](const std::string& name, const Where& where, std::string_view what,
                            const std::string& why) {
        if (why.empty()) return false;
        problems.push_back({where, name + std::string(what) + why, false});
        return true;
    };
    RuleIndex by_start(rules);
    for (size_t i = 0; i < rules.size(); ++i) {
        const Written& rule = rules[i];
        if (report(rule.text, rule.where, never_matches, why_dead(rule))) continue;
        report(rule.text, rule.where, " is useless: ", why_useless(rules, i, by_start));
        report(rule.text, rule.where, " is too broad: ", why_too_broad(rule));
    }
    if (by_start.gave_up())
        problems.push_back({rules.back().where,
                            "there are too many rules that begin alike to compare them all",
                            false});
    LongRules long_rules;
    for (const LongRule& rule : texts.rules) {
        report("rule \"" + rule.id + "\"", rule.where,
               " is useless: ", long_rules.why_useless(rule));
    }
    if (texts.mode == "bypassPermissions" && !(rules.empty() && texts.rules.empty()))
        problems.push_back({texts.mode_where,
                            "no rule is looked at in the mode bypassPermissions; take the rules "
                            "away, or use the mode default",
                            false});
    return problems;
}

}  // namespace husk::decide
