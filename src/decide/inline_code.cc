#include "decide/inline_code.h"

#include <algorithm>

#include "base/names.h"
#include "parse/letters.h"

namespace husk::decide {
namespace {

constexpr size_t none = std::string_view::npos;

char letter_at(std::string_view text, size_t at) { return at < text.size() ? text[at] : '\0'; }

// Behind the bracket expression that begins at `at`: [abc], []/], [^]/], [[:alpha:]/]. Behind the
// bracket alone, when nothing closes it on its line.
size_t behind_brackets(std::string_view text, size_t at) {
    const size_t begin = at++;
    if (letter_at(text, at) == '^') ++at;
    if (letter_at(text, at) == ']') ++at;
    while (at < text.size() && text[at] != '\n') {
        if (text[at] == ']') return at + 1;
        const char kind = letter_at(text, at + 1);
        const bool is_class = text[at] == '[' && (kind == ':' || kind == '.' || kind == '=');
        const size_t close = is_class ? text.find(std::string{kind, ']'}, at + 2) : none;
        at = close == none ? at + 1 : close + 2;
    }
    return begin + 1;
}

// Behind the letter that ends the text at `at`; none when a line ends before.
size_t behind_regex(std::string_view text, size_t at, char letter) {
    while (at < text.size() && text[at] != '\n') {
        if (text[at] == letter) return at + 1;
        if (text[at] == '\\')
            at += 2;
        else
            at = text[at] == '[' ? behind_brackets(text, at) : at + 1;
    }
    return none;
}

size_t behind_text(std::string_view text, size_t at, char letter) {
    while (at < text.size() && text[at] != letter) at += text[at] == '\\' ? 2U : 1U;
    return at < text.size() ? at + 1 : none;
}

// Whether a / at `at` divides what stands in front of it. Otherwise it begins a regex.
bool divides(std::string_view code, size_t at) {
    const size_t last = code.substr(0, at).find_last_not_of(" \t");
    if (last == none) return false;
    const char letter = code[last];
    const bool counts = last > 0 && (letter == '+' || letter == '-') && code[last - 1] == letter;
    if (counts || std::string_view(")]\"$").contains(letter)) return true;
    if (!parse::is_name_letter(letter)) return false;
    size_t begin = last;
    while (begin > 0 && parse::is_name_letter(code[begin - 1])) --begin;
    return !is_one_of(code.substr(begin, last + 1 - begin), "print printf return in case exit");
}

// Behind the text, the regex or the comment that begins at `at`. Where nothing ends it, it is
// none, and what follows is code.
size_t behind_token_of_awk(std::string_view code, size_t at) {
    if (code[at] == '#') return std::min(code.find('\n', at), code.size());
    size_t behind = none;
    if (code[at] == '"') behind = behind_text(code, at + 1, '"');
    if (code[at] == '/' && !divides(code, at)) behind = behind_regex(code, at + 1, '/');
    return behind == none ? at + 1 : behind;
}

// Behind the lines of a text in sed: of `a`, `i` and `c`, where a \ continues a line.
size_t behind_lines(std::string_view script, size_t at) {
    const size_t behind = behind_text(script, at, '\n');
    return behind == none ? script.size() : behind;
}

// Behind an address that is a regex, with its flags: /x/I, \,x,
size_t behind_address(std::string_view script, size_t at) {
    if (script[at] == '\\') ++at;
    if (at >= script.size()) return script.size();
    size_t behind = behind_regex(script, at + 1, script[at]);
    if (behind == none) return at + 1;
    while (letter_at(script, behind) == 'I' || letter_at(script, behind) == 'M') ++behind;
    return behind;
}

struct Substitution {
    size_t behind = 0;
    bool runs = false;  // it has the flag e
};

// s/regex/text/flags, where `at` is the first separator; y the same, but without brackets.
Substitution substitution_of_sed(std::string_view script, size_t at, char command) {
    if (at >= script.size()) return {.behind = script.size()};
    const char separator = script[at++];
    const size_t middle =
        command == 's' ? behind_regex(script, at, separator) : behind_text(script, at, separator);
    if (middle == none) return {.behind = at};
    const size_t flags = behind_text(script, middle, separator);
    if (flags == none) return {.behind = middle};
    const size_t end = std::min(script.find_first_of(" ;}\nw#", flags), script.size());
    const bool runs = command == 's' && script.substr(flags, end - flags).contains('e');
    const bool writes = letter_at(script, end) == 'w';
    return {.behind = writes ? std::min(script.find('\n', end), script.size()) : end, .runs = runs};
}

// A word of perl that is an operator with a text behind it, not a name or a part of a text.
bool is_operator_of_perl(std::string_view code, size_t at, size_t behind) {
    const char before = at == 0 ? '\0' : code[at - 1];
    if (parse::is_name_letter(before) || before == '$' || before == '@') return false;
    if (code.substr(0, at).ends_with("->")) return false;
    const char next = letter_at(code, behind);
    if (parse::is_name_letter(next)) return false;
    if ((next == '"' || next == '\'') && next == before) return false;  // "qx"
    const size_t delimiter = code.find_first_not_of(" \t\n", behind);
    if (delimiter == none || code[delimiter] == '}') return false;  // $x{qx}
    return !code.substr(delimiter).starts_with("=>");
}

bool has_qx(std::string_view code) {
    constexpr std::string_view word = "qx";
    for (size_t at = code.find(word); at != none; at = code.find(word, at + 1))
        if (is_operator_of_perl(code, at, at + word.size())) return true;
    return false;
}

}  // namespace

bool pipes_in_awk(std::string_view code) {
    for (size_t at = 0; at < code.size();) {
        if (code[at] != '|') {
            at = behind_token_of_awk(code, at);
            continue;
        }
        if (letter_at(code, at + 1) == '|') {
            at += 2;
            continue;
        }
        at = std::min(code.find_first_not_of(" \t&\\\n", at + 1), code.size());
        const std::string_view rest = code.substr(at);
        if (rest.starts_with('"') || rest.starts_with("getline")) return true;
    }
    return false;
}

bool runs_from_sed(std::string_view script) {
    for (size_t at = 0; at < script.size();) {
        at = std::min(script.find_first_not_of(" \t\n;{}0123456789,$!~+", at), script.size());
        if (at == script.size()) return false;
        const char letter = script[at];
        if (letter == 'e') return true;
        if (letter == '/' || letter == '\\') {
            at = behind_address(script, at);
        } else if (letter == 's' || letter == 'y') {
            const Substitution found = substitution_of_sed(script, at + 1, letter);
            if (found.runs) return true;
            at = found.behind;
        } else if (std::string_view("aic").contains(letter)) {
            at = behind_lines(script, at + 1);
        } else if (std::string_view("rRwW#").contains(letter)) {
            at = std::min(script.find('\n', at), script.size());
        } else {
            const bool has_label = std::string_view(":btT").contains(letter);
            const std::string_view ends = has_label ? ";}\n" : ";}\n#";
            at = std::min(script.find_first_of(ends, at + 1), script.size());
        }
    }
    return false;
}

bool runs_in_backticks(std::string_view program, std::string_view code) {
    if (is_one_of(program, "perl ruby php") && std::ranges::count(code, '`') > 1) return true;
    if (program == "perl") return has_qx(code);
    constexpr std::string_view brackets = "({[<";
    const size_t at = program == "ruby" ? code.find("%x") : none;
    return at != none && brackets.contains(letter_at(code, at + 2));
}

}  // namespace husk::decide
