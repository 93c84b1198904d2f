// Rules in all the formats that are read: Husk's own, Claude Code's, Codex' and opencode's.
#include <algorithm>

#include "decide/rules.h"
#include "request/rules_file.h"
#include "request/rules_import.h"
#include "request/starlark.h"
#include "target.h"

namespace husk::fuzz {
namespace of_rules {
namespace {

using Carried = ImportedEntry::Carried;

bool is_same_rule(const LongRule& one, const LongRule& other) {
    return one.id == other.id && one.match == other.match && one.verdict == other.verdict &&
           one.reason == other.reason && one.hits == other.hits && one.misses == other.misses;
}

// What the user is told to write means what was imported.
void check_written(const Imported& imported) {
    constexpr std::string_view prefix = "rules: ";
    size_t next = 0;
    for (const ImportedEntry& entry : imported.entries) {
        demand((entry.carried == Carried::Not) == entry.becomes.empty(),
               "an entry that is carried over becomes something");
        demand(entry.carried == Carried::Fully || !entry.note.empty(), "a change has a reason");
        if (!entry.becomes.starts_with(prefix)) continue;
        const auto again = read_rules("rules: [" + entry.becomes.substr(prefix.size()) + "]", "x");
        demand(again && again->rules.size() == 1, "a written rule can be read");
        demand(next < imported.rules.rules.size(), "a written rule was imported");
        demand(is_same_rule(again->rules[0], imported.rules.rules[next++]),
               "a written rule means what was imported");
    }
}

void check_import(std::string_view text, const std::string& file_name) {
    const auto imported = import_rules(text, file_name);
    const auto lines = static_cast<size_t>(std::ranges::count(text, '\n')) + 1;
    if (!imported) {
        demand(!imported.error().empty(), "a file that is refused has a complaint");
        for (const Complaint& complaint : imported.error())
            demand(complaint.where.line <= lines, "a complaint is about a line of the file");
        return;
    }
    for (const ImportedEntry& entry : imported->entries)
        demand(entry.where.line <= lines, "an entry is in a line of the file");
    check_written(*imported);
    const decide::Compiled compiled = decide::compile(imported->rules);
    for (const decide::Problem& problem : compiled.problems)
        demand(!problem.message.empty(), "a problem has words");
    if (text.size() < 2048) decide::lint(imported->rules);
}

void check_starlark(std::string_view text) {
    size_t line = 0;
    for (const StarlarkCall& call : read_starlark(text)) {
        demand(call.line >= line, "statements come in the order of their lines");
        demand(call.source.find('\n') == std::string::npos, "a statement is shown on one line");
        line = call.line;
    }
}

}  // namespace
}  // namespace of_rules

void rules(std::string_view bytes) {
    using namespace of_rules;
    for (const char* name : {"husk.yaml", "settings.json", "default.rules", "rules"})
        check_import(bytes, name);
    check_starlark(bytes);
}

}  // namespace husk::fuzz
