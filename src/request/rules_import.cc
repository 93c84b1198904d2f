#include "request/rules_import.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "request/rules_import_formats.h"

namespace husk {
namespace {

bool has_ending(std::string_view name, std::initializer_list<std::string_view> endings) {
    return std::ranges::any_of(endings, [&](std::string_view end) { return name.ends_with(end); });
}

bool looks_like_codex(std::string_view text) {
    return std::ranges::any_of(text::split_lines(text), [](std::string_view line) {
        return line.starts_with("prefix_rule(") || line.starts_with("host_executable(") ||
               line.starts_with("network_rule(");
    });
}

bool looks_like_json(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos &&
           (text[first] == '{' || text.substr(first).starts_with("//"));
}

std::vector<Complaint> complaint(const std::string& file, const DocumentError& error) {
    return {{{file, error.line}, error.message}};
}

std::expected<Imported, std::vector<Complaint>> import_json(std::string_view text,
                                                            const std::string& file) {
    const auto document = read_json(text);
    if (!document) return std::unexpected(complaint(file, document.error()));
    Imported imported;
    const bool opencode = document->find("permission") != nullptr;
    imported.format = opencode ? RulesFormat::Opencode : RulesFormat::Claude;
    if (opencode)
        imports::add_opencode(*document, file, imported);
    else if (document->find("permissions") != nullptr)
        imports::add_claude(*document, file, imported);
    else
        return std::unexpected(complaint(
            file, {0,
                   "there are no rules in it: neither \"permissions\", as Claude Code has "
                   "them, nor \"permission\", as opencode has them"}));
    return imported;
}

std::expected<Imported, std::vector<Complaint>> import_codex(std::string_view text,
                                                             const std::string& file) {
    if (const auto reason = unreadable(text)) return std::unexpected(complaint(file, *reason));
    Imported imported;
    imported.format = RulesFormat::Codex;
    imports::add_codex(text, file, imported);
    return imported;
}

}  // namespace

RulesFormat format_of(std::string_view text, std::string_view file_name) {
    if (has_ending(file_name, {".yaml", ".yml"})) return RulesFormat::Husk;
    if (has_ending(file_name, {".rules", ".codexpolicy", ".star"})) return RulesFormat::Codex;
    if (!has_ending(file_name, {".json", ".jsonc"}) && !looks_like_json(text))
        return looks_like_codex(text) ? RulesFormat::Codex : RulesFormat::Husk;
    const auto document = read_json(text);
    const bool opencode = document && document->find("permission") != nullptr;
    return opencode ? RulesFormat::Opencode : RulesFormat::Claude;
}

const char* word(RulesFormat format) {
    switch (format) {
        case RulesFormat::Husk: return "husk.yaml";
        case RulesFormat::Claude: return "Claude Code settings";
        case RulesFormat::Codex: return "Codex rules";
        case RulesFormat::Opencode: return "opencode permissions";
    }
    std::unreachable();
}

std::expected<Imported, std::vector<Complaint>> import_rules(std::string_view text,
                                                             const std::string& file_name) {
    switch (format_of(text, file_name)) {
        case RulesFormat::Claude:
        case RulesFormat::Opencode: return import_json(text, file_name);
        case RulesFormat::Codex: return import_codex(text, file_name);
        case RulesFormat::Husk: break;
    }
    auto rules = read_rules(text, file_name);
    if (!rules) return std::unexpected(std::move(rules).error());
    return Imported{RulesFormat::Husk, *std::move(rules), {}};
}

namespace imports {

const char* word(Answer answer) {
    switch (answer) {
        case Answer::Allow: return "allow";
        case Answer::Ask: return "ask";
        case Answer::Deny: return "deny";
    }
    std::unreachable();
}

void carry(Imported& imported, Answer answer, const std::string& pattern, ImportedEntry entry) {
    const std::string rule = pattern == "*" ? "Bash" : "Bash(" + pattern + ")";
    RuleTexts& rules = imported.rules;
    std::vector<ShortRule>& list = answer == Answer::Allow ? rules.allow
                                   : answer == Answer::Ask ? rules.ask
                                                           : rules.deny;
    list.push_back({rule, entry.where});
    entry.becomes = std::string(word(answer)) + ": " + rule;
    if (!entry.note.empty()) entry.carried = ImportedEntry::Carried::Changed;
    imported.entries.push_back(std::move(entry));
}

void leave(Imported& imported, ImportedEntry entry, std::string why) {
    entry.carried = ImportedEntry::Carried::Not;
    entry.becomes.clear();
    entry.note = std::move(why);
    imported.entries.push_back(std::move(entry));
}

void ask_about_the_rest(Imported& imported, ImportedEntry entry) {
    if (imported.rules.allow.empty()) return carry(imported, Answer::Ask, "*", std::move(entry));
    imported.rules.mode = "strict";
    imported.rules.mode_where = entry.where;
    entry.becomes = "mode: strict";
    entry.carried = ImportedEntry::Carried::Changed;
    entry.note =
        "there a command that no rule matches is asked about; here it is denied, because a rule "
        "that asks about all would go before those that allow";
    imported.entries.push_back(std::move(entry));
}

std::string why_no_simple_command(std::string_view pattern) {
    char quote = 0;
    for (const char c : pattern) {
        if (quote != 0) {
            if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (std::string_view("&|;\n<>").contains(c)) {
            return "here every command of a script is looked at by itself; write one rule for "
                   "each, without operators and redirections";
        }
    }
    return "";
}

}  // namespace imports
}  // namespace husk
