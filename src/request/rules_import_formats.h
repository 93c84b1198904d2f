// What the importers of single formats share. For rules_import*.cc only.
#pragma once

#include <string>
#include <string_view>

#include "request/document.h"
#include "request/rules_import.h"

namespace husk::imports {

// Each adds what it finds to an import that knows its file.
void add_claude(const DocumentNode& document, const std::string& file, Imported& imported);
void add_opencode(const DocumentNode& document, const std::string& file, Imported& imported);
void add_codex(std::string_view text, const std::string& file, Imported& imported);

enum class Answer { Allow, Ask, Deny };
const char* word(Answer answer);

// A short rule for commands that match a pattern, and the entry that tells of it.
void carry(Imported& imported, Answer answer, const std::string& pattern, ImportedEntry entry);
// An entry that has no equal here.
void leave(Imported& imported, ImportedEntry entry, std::string why);

// What becomes of commands that no rule matches, where they are asked about. When nothing is
// allowed, `ask: Bash` says the same. But ask goes before allow here, so beside rules that
// allow there is only strict, which denies them. Last, when all rules are known.
void ask_about_the_rest(Imported& imported, ImportedEntry entry);

// Why a pattern cannot match here, where every simple command is looked at by itself; or "".
std::string why_no_simple_command(std::string_view pattern);

}  // namespace husk::imports
