// prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "prompt", justification = "...",
//             match = ["git push"], not_match = [["git", "status"]])
//
// A pattern is the beginning of a command, word by word. A short rule says the same, so what
// allows becomes short rules. What asks or denies becomes a long one, which keeps the reason
// and the examples, and finds the words behind options as well.
#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "request/rules_import_formats.h"
#include "request/starlark.h"

namespace husk::imports {
namespace {

using Kind = StarlarkValue::Kind;
using Words = std::vector<std::string>;
using Pattern = std::vector<Words>;  // each word a list of alternatives

constexpr size_t most_short_rules = 64;

std::optional<Words> words_of(const StarlarkValue& value) {
    if (value.kind == Kind::Text) return Words{value.text};
    Words words;
    for (const StarlarkValue& item : value.items) {
        if (item.kind != Kind::Text) return std::nullopt;
        words.push_back(item.text);
    }
    if (words.empty()) return std::nullopt;
    return words;
}

std::optional<Pattern> pattern_of(const StarlarkCall& call) {
    const StarlarkValue* value = call.find("pattern");
    if (value == nullptr || value->kind != Kind::List || value->items.empty()) return std::nullopt;
    Pattern pattern;
    for (const StarlarkValue& item : value->items) {
        auto alternatives = words_of(item);
        if (!alternatives) return std::nullopt;
        pattern.push_back(*std::move(alternatives));
    }
    return pattern;
}

std::optional<Answer> answer_of(const StarlarkCall& call) {
    const StarlarkValue* value = call.find("decision");
    if (value == nullptr || value->text == "allow") return Answer::Allow;
    if (value->text == "prompt") return Answer::Ask;
    if (value->text == "forbidden") return Answer::Deny;
    return std::nullopt;
}

bool any_word(const Pattern& pattern, bool (*is)(const std::string&)) {
    return std::ranges::any_of(pattern,
                               [&](const Words& words) { return std::ranges::any_of(words, is); });
}

// Every way to choose one of the alternatives at each place; empty when there are too many.
std::vector<Words> choices(const Pattern& pattern) {
    std::vector<Words> all = {{}};
    for (const Words& alternatives : pattern) {
        std::vector<Words> longer;
        for (const Words& begun : all) {
            for (const std::string& word : alternatives) {
                longer.push_back(begun);
                longer.back().push_back(word);
            }
        }
        if (longer.size() > most_short_rules) return {};
        all = std::move(longer);
    }
    return all;
}

void add_allow(Imported& imported, const Pattern& pattern, const ImportedEntry& entry) {
    const bool special = any_word(pattern, [](const std::string& word) {
        return word.empty() || word.find_first_of(" \t\n*()") != std::string::npos;
    });
    const std::vector<Words> all = choices(pattern);
    if (special || all.empty())
        return leave(imported, entry,
                     special ? "a short rule cannot tell such words from what they look like"
                             : "it has more than " + std::to_string(most_short_rules) +
                                   " meanings; write what you need of them");
    for (const Words& words : all) carry(imported, Answer::Allow, text::join(words, " "), entry);
}

// An argument and the halves of --option=value and -ovalue.
Words ways_to_read(const std::string& argument) {
    Words ways = {argument};
    const size_t equals = argument.find('=');
    size_t cut = argument.size();
    if (argument.starts_with("--") && equals != std::string::npos)
        cut = equals;
    else if (argument.starts_with("-"))
        cut = 2;
    if (cut >= argument.size()) return ways;
    ways.push_back(argument.substr(0, cut));
    ways.push_back(argument.substr(cut == equals ? cut + 1 : cut));
    return ways;
}

// As a long rule sees it: the program, and then these words somewhere, in this order.
bool occurs_in(const Pattern& pattern, const Words& command) {
    size_t found = 0;
    for (size_t i = 0; i < command.size() && found < pattern.size(); ++i) {
        const Words ways = i == 0 ? Words{command[0], command[0].substr(command[0].rfind('/') + 1)}
                                  : ways_to_read(command[i]);
        if (std::ranges::find_first_of(ways, pattern[found]) != ways.end())
            ++found;
        else if (i == 0)
            return false;
    }
    return found == pattern.size();
}

Words split_at_spaces(std::string_view text) {
    Words words;
    while (!text.empty()) {
        const size_t end = std::min(text.find(' '), text.size());
        if (end > 0) words.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

// Each is a text, or a list of words.
std::vector<Words> examples_of(const StarlarkCall& call, std::string_view name) {
    std::vector<Words> examples;
    const StarlarkValue* value = call.find(name);
    if (value == nullptr) return examples;
    for (const StarlarkValue& item : value->items) {
        if (item.kind == Kind::Text)
            examples.push_back(split_at_spaces(item.text));
        else if (const auto words = words_of(item))
            examples.push_back(*words);
    }
    return examples;
}

std::string in_quotes(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        if (c == '\n')
            quoted += "\\n";
        else
            quoted += c;
    }
    return quoted + "\"";
}

std::string list_in_yaml(const Words& words) {
    Words quoted;
    std::ranges::transform(words, std::back_inserter(quoted), in_quotes);
    return "[" + text::join(quoted, ", ") + "]";
}

std::string in_yaml(const LongRule& rule) {
    Words match;
    for (const Words& words : rule.match)
        match.push_back(words.size() == 1 ? in_quotes(words[0]) : list_in_yaml(words));
    std::string yaml = "rules: {id: " + rule.id + ", match: [" + text::join(match, ", ") +
                       "], verdict: " + rule.verdict;
    if (!rule.reason.empty()) yaml += ", reason: " + in_quotes(rule.reason);
    Words examples;
    if (!rule.hits.empty()) examples.push_back("hits: " + list_in_yaml(rule.hits));
    if (!rule.misses.empty()) examples.push_back("misses: " + list_in_yaml(rule.misses));
    if (!examples.empty()) yaml += ", examples: {" + text::join(examples, ", ") + "}";
    return yaml + "}";
}

void add_refusal(Imported& imported, Answer answer, const Pattern& pattern,
                 const StarlarkCall& call, ImportedEntry entry) {
    LongRule rule;
    rule.id = "codex-" + std::to_string(call.line);
    rule.match = pattern;
    rule.verdict = word(answer);
    rule.where = entry.where;
    if (const StarlarkValue* why = call.find("justification"); why != nullptr)
        rule.reason = why->text;
    for (const Words& example : examples_of(call, "match"))
        rule.hits.push_back(text::quote_words(example));
    for (const Words& example : examples_of(call, "not_match")) {
        if (!occurs_in(pattern, example)) {
            rule.misses.push_back(text::quote_words(example));
        } else {
            entry.note = "\"" + text::quote_words(example) +
                         "\" is matched here too: other words may stand between those of a rule";
        }
    }
    if (any_word(pattern, [](const std::string& word) { return word.contains('*'); }))
        entry.note = "a * in a word matches any text here";
    if (!entry.note.empty()) entry.carried = ImportedEntry::Carried::Changed;
    entry.becomes = in_yaml(rule);
    imported.rules.rules.push_back(std::move(rule));
    imported.entries.push_back(std::move(entry));
}

void add_call(Imported& imported, const StarlarkCall& call, ImportedEntry entry) {
    if (!call.error.empty()) return leave(imported, std::move(entry), call.error);
    if (call.name != "prefix_rule")
        return leave(imported, std::move(entry), "Husk has nothing like " + call.name);
    const auto pattern = pattern_of(call);
    if (!pattern)
        return leave(imported, std::move(entry),
                     "its pattern must be a list of words, or of lists of words");
    const auto answer = answer_of(call);
    if (!answer)
        return leave(imported, std::move(entry),
                     "its decision is neither allow nor prompt nor forbidden");
    if (*answer == Answer::Allow) return add_allow(imported, *pattern, entry);
    add_refusal(imported, *answer, *pattern, call, std::move(entry));
}

}  // namespace

void add_codex(std::string_view text, const std::string& file, Imported& imported) {
    for (const StarlarkCall& call : read_starlark(text))
        add_call(imported, call, {.where = {file, call.line}, .written = call.source});
}

}  // namespace husk::imports
