#include "parse/hidden.h"

#include <algorithm>
#include <span>

#include "parse/letters.h"

namespace husk::parse {
namespace {

// Variables whose text bash runs, or takes for the name of a file to run.
bool is_run(std::string_view name) { return name == "PS4" || name == "BASH_ENV" || name == "ENV"; }

bool is_declaration(const std::string& program) {
    return program == "export" || program == "declare" || program == "typeset" ||
           program == "local" || program == "readonly" || program == "env" || program == "printf" ||
           program == "read";
}

// Builtins that take the name of a variable, which may have a subscript.
bool takes_subscripts(const std::string& program) {
    return is_declaration(program) || program == "unset" || program == "test" || program == "[" ||
           program == "mapfile" || program == "readarray" || program == "wait" ||
           program == "getopts";
}

bool may_be_subscript(const Word& word) {
    return !word.known() || word.shown().find('[') != std::string::npos;
}

// Evaluates one of its words as arithmetic, or may do so.
bool is_arithmetic(const Command& command) {
    const std::string program = command.program();
    if (program == "let") return true;
    if (program.empty() || !takes_subscripts(program)) return false;
    const std::span<const Word> words = std::span(command.words).subspan(1);
    // Of these only -v takes a name.
    if (program == "test" || program == "[" || program == "printf")
        return std::ranges::any_of(words, [](const Word& word) { return word.is("-v"); });
    return std::ranges::any_of(words, may_be_subscript) ||
           std::ranges::any_of(words, [](const Word& word) { return word.is("-i"); });
}

}  // namespace

bool has_substitution(std::string_view text) {
    return text.find("$(") != std::string_view::npos || text.find('`') != std::string_view::npos;
}

bool is_subscript_with_substitution(std::string_view text) {
    constexpr size_t longest = 256;
    for (size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
        if (at == 0 || !is_name_letter(text[at - 1])) continue;
        const std::string_view rest = text.substr(at, longest);
        if (has_substitution(rest.substr(0, rest.find(']')))) return true;
    }
    return false;
}

void Hidden::note(const Command& command) {
    arithmetic = arithmetic || is_arithmetic(command);
    note_texts(command);
    note_aliases(command);
}

// Texts that bash runs although they are quoted here.
void Hidden::note_texts(const Command& command) {
    for (const Assignment& assignment : command.assignments) {
        if (is_run(assignment.name) && has_substitution(assignment.value.shown()))
            reasons.push_back(assignment.name + " is a text that bash runs");
    }
    const std::string program = command.program();
    for (const Word& word : command.words) {
        const std::string text = word.shown();
        const std::string_view name = std::string_view(text).substr(0, text.find('='));
        if (is_declaration(program) && is_run(name))
            reasons.push_back(std::string(name) + " is a text that bash runs");
        if (text.find("BASH_FUNC_") != std::string::npos)
            reasons.emplace_back("a variable holds a function");
    }
}

// Aliases are expanded only when a script asks for it, or by shells other than bash.
void Hidden::note_aliases(const Command& command) {
    for (const Assignment& assignment : command.assignments) {
        if (assignment.name == "BASH_ALIASES") aliases_made = true;
        if (assignment.name == "POSIXLY_CORRECT") aliases_work = true;
    }
    const std::string program = command.program();
    const auto has = [&](std::string_view text) {
        return std::ranges::any_of(command.words, [&](const Word& word) { return word.is(text); });
    };
    const auto is_unknown = [](const Word& word) { return !word.known(); };
    if (program == "hash" && has("-p")) reasons.emplace_back("hash changes what a name means");
    if (program == "shopt" && std::ranges::any_of(command.words, is_unknown)) aliases_work = true;
    if (program == "shopt" && has("expand_aliases") && !has("-u")) aliases_work = true;
    if (program == "set" && has("posix")) aliases_work = true;
    if (program == "alias" && command.words.size() > 1) aliases_made = true;
}

}  // namespace husk::parse
