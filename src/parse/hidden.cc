#include "parse/hidden.h"

#include <algorithm>
#include <string_view>

#include "parse/letters.h"

namespace husk::parse {
namespace {

bool has_substitution(std::string_view text) {
    return text.find("$(") != std::string_view::npos || text.find('`') != std::string_view::npos;
}

// name[ ... $( ... : evaluated as arithmetic, bash runs what stands in the brackets.
bool is_subscript_with_substitution(std::string_view text) {
    for (size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
        if (at == 0 || !is_name_letter(text[at - 1])) continue;
        const std::string_view rest = text.substr(at, text.find(']', at) - at);
        if (has_substitution(rest)) return true;
    }
    return false;
}

}  // namespace

// Texts that bash expands although they are quoted here.
void Hidden::note(const Command& command) {
    const auto arithmetic_may_run = [](const Word& word) {
        return std::ranges::any_of(word.pieces, [](const Piece& piece) {
            return piece.kind == Piece::Kind::Text && is_subscript_with_substitution(piece.text);
        });
    };
    for (const Assignment& assignment : command.assignments) {
        const std::string text = assignment.value.shown();
        const std::string& name = assignment.name;
        const bool prompt = name == "PS0" || name == "PS1" || name == "PS2" || name == "PS4" ||
                            name == "PROMPT_COMMAND";
        if (prompt && has_substitution(text))
            reasons.push_back(assignment.name + " is a text that bash runs");
        if (arithmetic_may_run(assignment.value))
            reasons.push_back("arithmetic may run what stands in " + assignment.name);
    }
    static constexpr std::string_view evaluating[] = {
        "let",  "declare", "typeset", "local", "export",  "readonly",  "printf",
        "read", "unset",   "test",    "[",     "mapfile", "readarray", "wait"};
    const std::string program = command.program();
    const bool evaluates = std::ranges::find(evaluating, program) != std::end(evaluating);
    for (const Word& word : command.words)
        if (evaluates && arithmetic_may_run(word))
            reasons.push_back(program + " may run what stands in brackets");
    const auto has = [&](std::string_view text) {
        return std::ranges::any_of(command.words, [&](const Word& word) { return word.is(text); });
    };
    // Aliases are expanded only when a script asks for it, or by shells other than bash.
    if (program == "shopt" && has("expand_aliases") && !has("-u")) aliases_work = true;
    if (program == "set" && has("posix")) aliases_work = true;
    if (program == "alias" && command.words.size() > 1) aliases_made = true;
}

}  // namespace husk::parse
