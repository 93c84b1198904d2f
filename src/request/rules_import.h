// Rules that were written for other programs, as rules of ours: entry by entry what each
// becomes, what changes, and what cannot be carried over.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "request/rule_texts.h"
#include "request/rules_file.h"

namespace husk {

enum class RulesFormat {
    Husk,      // husk.yaml
    Claude,    // Claude Code's settings.json
    Codex,     // Codex' *.rules
    Opencode,  // opencode.json
};

// By the name of the file, and where that does not tell by its content.
RulesFormat format_of(std::string_view text, std::string_view file_name);
const char* word(RulesFormat format);  // "husk.yaml", "Claude Code settings" ...

struct ImportedEntry {
    enum class Carried { Fully, Changed, Not };
    Where where;
    std::string written;  // as it stands there
    Carried carried = Carried::Fully;
    std::string becomes = {};  // as it stands in husk.yaml; empty when it is not carried over
    std::string note = {};     // what changes, or why not
};

struct Imported {
    RulesFormat format = RulesFormat::Husk;
    RuleTexts rules;
    std::vector<ImportedEntry> entries;  // empty for husk.yaml, which needs no import
};

// What is allowed there is never allowed further here without a note that says so.
std::expected<Imported, std::vector<Complaint>> import_rules(std::string_view text,
                                                             const std::string& file_name);

}  // namespace husk
