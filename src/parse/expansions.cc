// What bash replaces when it runs: variables, substitutions, arithmetic. All that is code in
// them is parsed, in whatever corner it stands.
#include <algorithm>
#include <utility>

#include "parse/ansi.h"
#include "parse/hidden.h"
#include "parse/letters.h"
#include "parse/parser.h"

namespace husk::parse {
namespace {

// What stands between backticks: a backslash quotes `, \ and $, and " inside double quotes.
std::string unescaped(std::string_view text, bool in_double_quotes) {
    std::string result;
    for (size_t i = 0; i < text.size(); ++i) {
        const char after = i + 1 < text.size() ? text[i + 1] : '\0';
        const bool quotes =
            after == '`' || after == '\\' || after == '$' || (in_double_quotes && after == '"');
        if (text[i] == '\\' && quotes) ++i;
        result += text[i];
    }
    return result;
}

}  // namespace

void Parser::read_backtick(Word& word, Quoting quoting) {
    const size_t begin = at_;
    size_t at = at_ + 1;
    while (at < end_ && text_[at] != '`') at += text_[at] == '\\' ? 2U : 1U;
    if (at >= end_) {
        at_ = end_;
        return fail("unexpected EOF while looking for matching ``'");
    }
    at_ = at + 1;
    const bool quoted = quoting != Quoting::None;
    const std::string code = unescaped(slice(begin + 1, at), quoting == Quoting::Double);
    state_.derived += code.size();
    if (state_.derived > most_read_again) return give_up("too much of it stands between backticks");
    if (enter()) {
        const Via via = std::exchange(state_.via, Via::Substitution);
        const size_t carrier = state_.carrier;
        Parser inner(code, state_, range_from(begin));
        inner.parse_all();
        state_.via = via;
        state_.carrier = carrier;
    }
    leave();
    word.pieces.push_back({Piece::Kind::Substitution, std::string(slice(begin, at_)), quoted, {}});
}

void Parser::read_dollar(Word& word, Quoting quoting) {
    const size_t begin = at_;
    const bool quoted = quoting != Quoting::None;
    const char after = peek_after(1);
    const auto variable = [&](std::string name) {
        word.pieces.push_back(
            {Piece::Kind::Variable, std::string(slice(begin, at_)), quoted, std::move(name)});
    };
    if (after == '{') return read_parameter(word, quoting);
    if (after == '[') return read_old_arithmetic(word, quoting);
    if (after == '(') {
        advance();
        peek();
        advance();
        const size_t inside = at_;
        if (peek() == '(') {
            advance();
            if (try_arithmetic()) {
                word.pieces.push_back(
                    {Piece::Kind::Arithmetic, std::string(slice(begin, at_)), quoted, {}});
                return;
            }
            if (stopped()) return;
            at_ = inside;
        }
        return read_substitution(word, begin, Piece::Kind::Substitution, quoting);
    }
    if (!quoted && after == '\'') {
        peek();
        if (text_[at_ + 1] == '\'') return read_ansi(word);
    }
    advance();
    if (!quoted && after == '"') {
        peek();
        return read_double(word);
    }
    if (is_name_start(after)) {
        std::string name;
        for (; is_name_letter(peek()); advance()) name += peek();
        return variable(std::move(name));
    }
    if (is_digit(after) || is_special_parameter(after)) {
        peek();
        advance();
        return variable(std::string(1, after));
    }
    add_text(word, "$", quoted);
}

void Parser::read_parameter(Word& word, Quoting quoting) {
    if (enter()) read_parameter_inside(word, quoting);
    leave();
}

std::string Parser::read_parameter_name() {
    std::string name;
    if (is_name_start(peek())) {
        for (; is_name_letter(peek()); advance()) name += peek();
    } else if (is_digit(peek())) {
        for (; is_digit(peek()); advance()) name += peek();
    } else if (is_special_parameter(peek())) {
        name = std::string(1, peek());
        advance();
    }
    return name;
}

void Parser::read_parameter_inside(Word& word, Quoting quoting) {
    const size_t begin = at_;
    advance();
    peek();
    advance();
    const char first = peek();
    // Newer shells run what stands in ${ x; } and ${|x;}.
    if (is_blank(first) || first == '\n' || first == '|')
        return give_up("${ } holds a command, which only some versions of bash run");
    const char second = peek_after(1);
    const bool prefix = (first == '!' || first == '#') && second != '}' &&
                        (is_name_letter(second) || is_special_parameter(second));
    if (prefix) advance();
    std::string name = read_parameter_name();
    if (peek() == '[') scan_subscript();
    if (prefix && first == '!') state_.arithmetic = true;  // the other name may have a subscript
    const char operation = peek();
    if (operation == '@' && peek_after(1) == 'P')
        not_understood("${" + name + "@P} runs what is in a variable");
    const bool pattern = operation == '#' || operation == '%' || operation == '/' ||
                         operation == '^' || operation == ',';
    // ${x:1:2} is arithmetic, where single quotes protect nothing.
    const char next = peek_after(1);
    const bool substring =
        operation == ':' && next != '-' && next != '=' && next != '?' && next != '+';
    if (substring) state_.arithmetic = true;
    // ${x:=y} and ${x=y}
    if (operation == '=' || (operation == ':' && next == '='))
        note_set(prefix && first == '!' ? "" : name);
    const size_t expression = at_;
    const bool protects = !substring && (quoting == Quoting::None || pattern);
    read_parameter_word(quoting == Quoting::None ? quoting : Quoting::Inside, protects);
    if (substring) note_arithmetic(expression);
    word.pieces.push_back({Piece::Kind::Variable, std::string(slice(begin, at_)),
                           quoting != Quoting::None, std::move(name)});
}

// Up to the closing brace. Single quotes always pair, but inside double quotes they keep
// nothing from being expanded unless a pattern stands there.
void Parser::read_parameter_word(Quoting quoting, bool single_quotes) {
    Word word;
    bool in_single = false;
    while (!stopped()) {
        const char letter = peek();
        if (at_ >= end_) return fail("unexpected EOF while looking for matching `}'");
        if (letter == '}' && !in_single) {
            note_subscript(word);
            state_.subscript_to_fill |= is_subscript_to_fill(word);
            state_.substitution_in_text |= has_substitution(literal_text(word));
            return advance();
        }
        if (letter == '\'' && single_quotes) {
            read_single(word);
        } else if (letter == '\'') {
            in_single = !in_single;
            advance();
        } else if (letter == '"' && in_single) {
            take_letter(word);
        } else {
            scan_live(word, letter, quoting);
        }
    }
}

// One letter, or the quoted or expanded thing that starts here.
void Parser::scan_live(Word& word, char letter, Quoting quoting) {
    const bool process = (letter == '<' || letter == '>') && peek_after(1) == '(';
    if (letter == '\\') {
        advance();
        if (at_ < end_) take_letter(word);
    } else if (letter == '"') {
        read_double(word);
    } else if (letter == '`') {
        read_backtick(word, quoting);
    } else if (letter == '$' && quoting != Quoting::None && peek_after(1) == '\'') {
        look_into_ansi(word);
    } else if (letter == '$') {
        read_dollar(word, quoting);
    } else if (process && quoting == Quoting::None) {
        read_process(word);
    } else {
        take_letter(word);
    }
}

void Parser::take_letter(Word& word) {
    if (at_ >= decoded_until_) add_text(word, text_.substr(at_, 1), true);
    ++at_;
}

// $'...' inside double quotes and arithmetic. bash decodes it in most places, but not in all, so it
// is decoded here for the gathered text and then read as live text, too.
void Parser::look_into_ansi(Word& word) {
    advance();
    peek();
    const size_t begin = at_ + 1;
    const size_t end = std::min(end_of_ansi(begin), end_);
    if (begin >= end || end < decoded_until_) return;
    const std::string text = decode_ansi(slice(begin, end));
    if (text.find_first_of("$`") != std::string::npos) state_.subscript_in_text = true;
    add_text(word, text, true);
    decoded_until_ = end;
}

void Parser::note_subscript(const Word& word) {
    state_.subscript_in_text |= is_subscript_with_substitution(word);
}

void Parser::read_process(Word& word) {
    const size_t begin = at_;
    advance();
    peek();
    advance();
    read_substitution(word, begin, Piece::Kind::Process, Quoting::None);
}

void Parser::scan_quoted(Word& word, char letter) {
    if (letter == '\'') return read_single(word);
    scan_live(word, letter, Quoting::None);
}

void Parser::read_substitution(Word& word, size_t begin, Piece::Kind kind, Quoting quoting) {
    std::vector<PendingDocument> outer;
    outer.swap(documents_);
    const Via via = std::exchange(state_.via, Via::Substitution);
    if (enter()) {
        parse_list();
        if (!stopped() && !eat(')')) fail_here();
        if (!stopped() && !documents_.empty())
            give_up("a here-document begins in a substitution and does not end there");
    }
    leave();
    state_.via = via;
    documents_.swap(outer);
    word.pieces.push_back({kind, std::string(slice(begin, at_)), quoting != Quoting::None, {}});
}

// The body of a here-document: like double quotes, but " is a letter.
void Parser::scan_document(Word& word) {
    const auto add = [&](char letter) { add_text(word, {&letter, 1}, true); };
    while (!stopped()) {
        const char letter = peek();
        if (at_ >= end_) return;
        if (letter == '\\') {
            const char after = peek_after(1);
            const bool escapes = after == '$' || after == '`' || after == '\\';
            if (!escapes) add('\\');
            advance();
            if (escapes) add(text_[at_++]);
        } else if (letter == '$') {
            read_dollar(word, Quoting::Inside);
        } else if (letter == '`') {
            read_backtick(word, Quoting::Inside);
        } else {
            add(letter);
            advance();
        }
    }
}

}  // namespace husk::parse
