// {"permissions": {"allow": ["Bash(npm run test:*)"], "deny": [], "ask": [], "defaultMode":
// "default"}}
#include <optional>
#include <utility>

#include "request/rules_import_formats.h"

namespace husk::imports {
namespace {

// Between the parentheses of Bash(...); nothing for other tools, "*" for all of Bash.
std::optional<std::string> pattern_of(std::string_view rule) {
    if (rule == "Bash") return "*";
    if (!rule.starts_with("Bash(") || !rule.ends_with(")")) return std::nullopt;
    return std::string(rule.substr(5, rule.size() - 6));
}

std::string tool_of(std::string_view rule) { return std::string(rule.substr(0, rule.find('('))); }

// Rules here see words after quote removal.
std::string without_quotes(std::string_view pattern) {
    std::string plain;
    char quote = 0;
    for (const char c : pattern) {
        if (quote != 0 ? c == quote : (c == '\'' || c == '"'))
            quote = quote != 0 ? '\0' : c;
        else
            plain += c;
    }
    return plain;
}

void add_rule(Imported& imported, Answer answer, ImportedEntry entry) {
    const std::string& rule = entry.written;
    const auto pattern = pattern_of(rule);
    if (!pattern) {
        const std::string why =
            "it is about " + tool_of(rule) + ", and Husk decides about shell commands only";
        return leave(imported, std::move(entry), why);
    }
    if (pattern->empty()) return leave(imported, std::move(entry), "its pattern is empty");
    if (std::string why = why_no_simple_command(*pattern); !why.empty())
        return leave(imported, std::move(entry), std::move(why));
    const bool exact = !pattern->contains('*');
    if (exact && answer == Answer::Allow)
        entry.note = "there it is this command alone; here it is also this with more arguments";
    carry(imported, answer, without_quotes(*pattern), std::move(entry));
}

void add_rules(Imported& imported, Answer answer, const DocumentEntry& list,
               const std::string& file) {
    for (const DocumentNode& item : list.value.items) {
        ImportedEntry entry{.where = {file, item.line}, .written = item.text};
        if (item.kind == DocumentNode::Kind::Text)
            add_rule(imported, answer, std::move(entry));
        else
            leave(imported, std::move(entry),
                  "a rule is a text, and here is " + std::string(husk::word(item.kind)));
    }
    if (list.value.kind != DocumentNode::Kind::List)
        leave(imported, {.where = {file, list.line}, .written = list.key}, "it is no list");
}

void add_mode(Imported& imported, ImportedEntry entry, const std::string& mode) {
    if (mode == "plan" || mode == "auto")
        return leave(imported, std::move(entry), "Husk has no such mode");
    if (mode == "bypassPermissions") {
        // Here a bypass passes by the rules that deny as well.
        entry.becomes = "mode: default";
        entry.note = "what no rule denies or asks about is run";
        imported.entries.push_back(std::move(entry));
        return;
    }
    if (mode == "dontAsk") {
        imported.rules.mode = "strict";
        imported.rules.mode_where = entry.where;
        entry.becomes = "mode: strict";
        imported.entries.push_back(std::move(entry));
        return;
    }
    ask_about_the_rest(imported, std::move(entry));
}

}  // namespace

void add_claude(const DocumentNode& document, const std::string& file, Imported& imported) {
    const DocumentNode& permissions = *document.find("permissions");
    ImportedEntry mode{.where = {file, permissions.line}, .written = "defaultMode: default"};
    std::string chosen = "default";
    for (const DocumentEntry& entry : permissions.entries) {
        if (entry.key == "allow") {
            add_rules(imported, Answer::Allow, entry, file);
        } else if (entry.key == "ask") {
            add_rules(imported, Answer::Ask, entry, file);
        } else if (entry.key == "deny") {
            add_rules(imported, Answer::Deny, entry, file);
        } else if (entry.key == "defaultMode") {
            chosen = entry.value.text;
            mode = {.where = {file, entry.line}, .written = "defaultMode: " + chosen};
        } else {
            leave(imported, {.where = {file, entry.line}, .written = entry.key},
                  "it is not about commands");
        }
    }
    add_mode(imported, std::move(mode), chosen);
}

}  // namespace husk::imports
