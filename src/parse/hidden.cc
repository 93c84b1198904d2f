#include "parse/hidden.h"

#include <algorithm>
#include <span>

#include "parse/letters.h"
#include "parse/variables.h"

namespace husk::parse {
namespace {

// Variables whose text bash runs, or takes for the name of a file to run.
bool is_run(std::string_view name) {
    return name == "PS0" || name == "PS1" || name == "PS2" || name == "PS4" || name == "BASH_ENV" ||
           name == "ENV";
}

bool is_declaration(const std::string& program) {
    return program == "declare" || program == "typeset" || program == "local" ||
           program == "export" || program == "readonly";
}

// Builtins that take the name of a variable, which may have a subscript.
bool takes_subscripts(const std::string& program) {
    return is_declaration(program) || program == "unset" || program == "test" || program == "[" ||
           program == "mapfile" || program == "readarray" || program == "wait" ||
           program == "getopts" || program == "printf" || program == "read";
}

bool may_be_subscript(const Word& word) {
    return !word.known() || word.shown().find('[') != std::string::npos;
}

// -i makes a variable a number, -n makes it a name for another, whatever letters are beside it.
bool makes_evaluated(const Word& word) {
    const std::string text = word.known_start();
    return text.starts_with('-') &&
           (text.find_first_of("in") != std::string::npos || !word.known());
}

// Evaluates one of its words as arithmetic, or may do so.
bool is_arithmetic(const Command& command) {
    const std::string program = command.program();
    if (program == "let") return true;
    if (program.empty() || !takes_subscripts(program)) return false;
    const std::span<const Word> words = std::span(command.words).subspan(1);
    // Of these only -v and -R take a name.
    if (program == "test" || program == "[")
        return std::ranges::any_of(words,
                                   [](const Word& word) { return word.is("-v") || word.is("-R"); });
    if (program == "printf")
        return std::ranges::any_of(
            words, [](const Word& word) { return word.known_start().starts_with("-v"); });
    return std::ranges::any_of(words, may_be_subscript) ||
           (is_declaration(program) && std::ranges::any_of(words, makes_evaluated));
}

bool is_text(const Piece& piece) {
    return piece.kind == Piece::Kind::Text || piece.kind == Piece::Kind::Glob;
}

// $x and "$@", which may be any number of words.
bool may_be_several(const Word& word) {
    return std::ranges::any_of(word.pieces, [](const Piece& piece) {
        const bool expands =
            piece.kind == Piece::Kind::Variable || piece.kind == Piece::Kind::Substitution;
        return expands && (!piece.quoted || piece.name == "@" || piece.text.contains("[@]"));
    });
}

// `test $x 'a[...]'` and `printf $x 'a[...]'`, where $x may be -v or -R, or begin with it.
bool may_be_arithmetic(const Command& command) {
    const std::string program = command.program();
    if (program != "test" && program != "[" && program != "printf") return false;
    const auto may_be_option = [](const Word& word) {
        const std::string text = literal_text(word);
        return !word.known() && (text.empty() || text == "-" || text == "-v" || text == "-R");
    };
    const auto comes_before_name = [&](const Word& word, const Word& next) {
        return may_be_option(word) && may_be_subscript(next);
    };
    const auto may_have_both = [](const Word& word) {
        return may_be_several(word) || (!word.known() && is_subscript_with_substitution(word));
    };
    return std::ranges::any_of(command.words, may_have_both) ||
           std::ranges::adjacent_find(command.words, comes_before_name) != command.words.end();
}

// name[...
bool has_element(const std::string& text) {
    for (size_t at = text.find('['); at != std::string::npos; at = text.find('[', at + 1))
        if (at > 0 && is_name_letter(text[at - 1])) return true;
    return false;
}

// declare 'a=($(x))' runs x once a is an array.
bool is_list_with_substitution(const Word& word) {
    const std::string text = literal_text(word);
    const size_t list = text.find("=(");
    return list != std::string::npos && has_substitution(std::string_view(text).substr(list));
}

// A number, or something that bash itself makes one of.
bool is_number(const Word& word) {
    return std::ranges::all_of(word.pieces, [](const Piece& piece) {
        if (piece.kind == Piece::Kind::Text) return std::ranges::all_of(piece.text, is_name_letter);
        return piece.kind == Piece::Kind::Arithmetic ||
               (piece.kind == Piece::Kind::Variable &&
                (piece.text == "$$" || piece.text == "$#" || is_evaluated(piece.name)));
    });
}

bool names_home(const Word& word) {
    return std::ranges::any_of(word.pieces, [](const Piece& piece) {
        return piece.kind == Piece::Kind::Tilde || (piece.kind == Piece::Kind::Variable &&
                                                    (piece.name == "HOME" || piece.name == "PWD"));
    });
}

}  // namespace

bool has_substitution(std::string_view text) {
    return text.contains("$(") || text.contains('`') || text.contains("@P}");
}

bool is_subscript_with_substitution(std::string_view text) {
    for (size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
        if (at > 0 && !is_name_letter(text[at - 1])) continue;
        const std::string_view inside = text.substr(at);
        // Another text may complete $( behind an open bracket.
        return has_substitution(inside) || (inside.ends_with('$') && !inside.contains(']'));
    }
    return false;
}

bool is_subscript_with_substitution(const Word& word) {
    const auto has_bracket = [](const Piece& piece) {
        return is_text(piece) && piece.text.contains('[');
    };
    if (std::ranges::none_of(word.pieces, has_bracket)) return false;
    std::string text;
    for (const Piece& piece : word.pieces) text += is_text(piece) ? piece.text : "x";
    return is_subscript_with_substitution(text) ||
           is_subscript_with_substitution(literal_text(word));
}

std::string literal_text(const Word& word) {
    std::string text;
    for (const Piece& piece : word.pieces)
        if (is_text(piece)) text += piece.text;
    return text;
}

bool is_subscript_to_fill(const Word& word) {
    bool open = false;
    bool plain = true;  // no quote that may hide a bracket
    char before = '\0';
    for (const Piece& piece : word.pieces) {
        const bool text = is_text(piece);
        if (open && !text && !is_number({.pieces = {piece}, .range = {}})) return true;
        if (!text) before = 'x';  // ${x}[
        for (size_t i = 0; text && i < piece.text.size(); before = piece.text[i++]) {
            const char letter = piece.text[i];
            plain = plain && letter != '"' && letter != '\'' && letter != '\\';
            if (letter == '[' && is_name_letter(before)) open = true;
            if (letter == ']' && plain) open = false;
        }
    }
    return open && plain;  // another text may be put behind it
}

bool is_subscript_to_fill(std::string_view arithmetic) {
    const size_t open = arithmetic.find('[');
    return open != std::string_view::npos && open > 0 && is_name_letter(arithmetic[open - 1]) &&
           arithmetic.find('$', open) != std::string_view::npos;
}

void Hidden::note(const Command& command) {
    arithmetic = arithmetic || is_arithmetic(command);
    may_read_names = may_read_names || may_be_arithmetic(command);
    note_texts(command);
    note_variables(command);
    note_home(command);
    note_aliases(command);
    note_options(command);
    note_history(command);
    note_completion(command);
}

// Texts that bash runs although they are quoted here.
void Hidden::note_texts(const Command& command) {
    const std::string program = command.program();
    const bool evaluates = takes_subscripts(program) && is_arithmetic(command);
    for (const Word& word : command.words) {
        const std::string text = word.shown();
        note_text(word);
        const bool only_fills_value = is_declaration(program) && word.known_start().contains('=');
        if (evaluates && !only_fills_value && is_subscript_to_fill(word))
            add(program + " takes a subscript that is not known");
        if (is_declaration(program) && is_list_with_substitution(word))
            add(program + " runs what stands in a list");
        if (program == "let" && !deciding_name_in(text).empty())
            add("arithmetic sets " + deciding_name_in(text));
        // The value of a declaration is looked at with the variable.
        if (program == "set" || (takes_subscripts(program) && !is_declaration(program)))
            assignment_in_text |= sets_deciding_variable(text);
    }
    for (const Assignment& assignment : command.assignments) {
        note_text(assignment.value);
        subscript_to_fill |= assignment.appends && assignment.value.shown().starts_with('[');
    }
    for (const Redirect& redirect : command.redirects) note_text(redirect.target);
}

// A text that means more once it is the name or the value of a variable.
void Hidden::note_text(const Word& word) {
    const std::string text = word.shown();
    if (text.contains("BASH_FUNC_")) add("a variable holds a function");
    if (text.contains("BASH_CMDS")) add("BASH_CMDS changes what a name means");
    bracket_in_text |= has_element(text);
    subscript_in_text |= is_subscript_with_substitution(word);
    substitution_in_text |= has_substitution(literal_text(word));
    subscript_to_fill |= is_subscript_to_fill(word);
}

void Hidden::note_variables(const Command& command) {
    for (const Assignment& assignment : command.assignments) {
        note_set(assignment.name, &assignment.value);
        // In front of a program it is for that program alone.
        if (command.words.empty()) {
            sets_home |= assignment.name == "HOME" || assignment.name == "PWD";
            sets_search_of_cd |= assignment.name == "CDPATH";
        }
    }
    const bool for_another = command.program() == "env";
    for (const SetVariable& set : variables_set_by(command)) {
        if (set.word != nullptr) {
            Word value = *set.word;
            drop_start(value, value.known_start().find('=') + 1);
            note_set(set.name, &value);
        } else if (!set.is_gone) {
            note_set(set.name, nullptr);
        }
        sets_home |= !for_another && (set.name == "HOME" || set.name == "PWD");
        sets_search_of_cd |= set.name == "CDPATH";
    }
}

// No value: it comes from elsewhere.
void Hidden::note_set(const std::string& name, const Word* value) {
    if (name == "BASH_CMDS") add("BASH_CMDS changes what a name means");
    if (name == "BASH_ALIASES") aliases_made = true;
    if (name == "POSIXLY_CORRECT") aliases_work = true;
    if (is_run(name) && (value == nullptr || !value->known() || has_substitution(value->shown())))
        add(name + " is a text that bash runs");
    if (is_evaluated(name)) {
        arithmetic = true;
        if (value == nullptr || !is_number(*value))
            add(name + " is set to what bash evaluates as arithmetic");
    }
    if (value != nullptr) assignment_in_text |= sets_deciding_variable(value->known_start());
}

void Hidden::note_loop(const Loop& loop) {
    for (const Word& word : loop.words) {
        assignment_in_text |= sets_deciding_variable(word.known_start());
        note_text(word);
    }
    if (is_evaluated(loop.name) || decides_what_runs(loop.name)) add("a loop sets " + loop.name);
}

void Hidden::note_home(const Command& command) {
    uses_home |= std::ranges::any_of(command.words, names_home) ||
                 std::ranges::any_of(command.redirects, [](const Redirect& redirect) {
                     return names_home(redirect.target);
                 });
    const std::string program = command.program();
    uses_home |= program == "cd" && command.words.size() == 1;
    uses_cd |= program == "cd";
}

// Options of the shell that change how it reads its commands.
void Hidden::note_options(const Command& command) {
    const std::string program = command.program();
    const auto has = [&](auto question) {
        return std::ranges::any_of(command.words,
                                   [&](const Word& word) { return question(word.known_start()); });
    };
    const auto names_keyword = [](const std::string& text) { return text == "keyword"; };
    const auto has_k = [](const std::string& text) {
        return text.starts_with('-') && !text.starts_with("--") && text.contains('k');
    };
    if ((program == "set" && (has(names_keyword) || has(has_k))) ||
        (program == "shopt" && has(names_keyword)))
        add("words behind a program set variables");
    const auto loads = [](const std::string& text) {
        return text.starts_with('-') && text.contains('f');
    };
    if (program == "enable" && has(loads)) add("enable loads code into the shell");
}

// !x and fc run an earlier command, perhaps changed.
void Hidden::note_history(const Command& command) {
    const std::string program = command.program();
    const auto has = [&](std::string_view name, char letter) {
        return std::ranges::any_of(command.words, [&](const Word& word) {
            const std::string text = word.known_start();
            return text == name || (text.starts_with('-') && !text.starts_with("--") &&
                                    text.contains(letter) && letter != '\0');
        });
    };
    if ((program == "set" && has("histexpand", 'H')) ||
        (program == "shopt" && has("histexpand", '\0')))
        add("!x is replaced by an earlier command");
    if (program == "fc" && !has("-l", 'l')) add("fc runs an earlier command");
}

// bash expands the words behind -W once more.
void Hidden::note_completion(const Command& command) {
    const std::string program = command.program();
    if (program != "compgen" && program != "complete") return;
    const auto has_words = [](const Word& word) {
        const std::string text = word.known_start();
        return text.starts_with('-') && text.contains('W');
    };
    if (!std::ranges::any_of(command.words, has_words)) return;
    const auto may_run = [](const Word& word) {
        const std::string text = word.shown();
        return !word.known() || has_substitution(text) || text.contains("<(") ||
               text.contains(">(");
    };
    if (std::ranges::any_of(command.words, may_run))
        add(program + " runs what stands in its words");
}

void Hidden::add(const std::string& reason) {
    constexpr size_t most = 32;
    if (reasons.size() < most && std::ranges::find(reasons, reason) == reasons.end())
        reasons.push_back(reason);
}

std::vector<std::string> Hidden::all_reasons() const {
    std::vector<std::string> all = reasons;
    const bool evaluates = arithmetic || may_read_names;
    if (subscript_in_text && evaluates)
        all.emplace_back("arithmetic may run what stands in brackets");
    else if (subscript_to_fill && substitution_in_text && evaluates)
        all.emplace_back("arithmetic may run what a variable puts into brackets");
    if (assignment_in_text && (arithmetic || (may_read_names && bracket_in_text)))
        all.emplace_back("arithmetic may set a variable that decides what is run");
    if (sets_home && uses_home) all.emplace_back("it changes what ~ and $HOME mean");
    if (sets_search_of_cd && uses_cd) all.emplace_back("CDPATH changes where cd leads");
    return all;
}

// Aliases are expanded only when a script asks for it, or by shells other than bash.
void Hidden::note_aliases(const Command& command) {
    const std::string program = command.program();
    const auto has = [&](std::string_view text) {
        return std::ranges::any_of(command.words, [&](const Word& word) { return word.is(text); });
    };
    const auto is_unknown = [](const Word& word) { return !word.known(); };
    const auto replaces = [](const Word& word) {
        const std::string text = word.known_start();
        return text.starts_with('-') && text.contains('p');
    };
    if (program == "hash" && std::ranges::any_of(command.words, replaces))
        add("hash changes what a name means");
    if (program == "shopt" && std::ranges::any_of(command.words, is_unknown)) aliases_work = true;
    if (program == "shopt" && has("expand_aliases") && !has("-u")) aliases_work = true;
    if (program == "set" && has("posix")) aliases_work = true;
    if (program == "alias" && command.words.size() > 1) aliases_made = true;
}

}  // namespace husk::parse
