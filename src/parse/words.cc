// Words: quotes, globs, tildes, and where a word ends.
#include <algorithm>

#include "parse/ansi.h"
#include "parse/hidden.h"
#include "parse/letters.h"
#include "parse/parser.h"

namespace husk::parse {
namespace {

constexpr size_t most_pieces = 4096;

void add_text(Word& word, char letter, bool quoted) {
    add_text(word, std::string_view(&letter, 1), quoted);
}

constexpr bool is_plain(char letter) {
    return is_name_letter(letter) || letter == '-' || letter == '.' || letter == '/' ||
           letter == '=' || letter == ':' || letter == ',' || letter == '%' ||
           static_cast<unsigned char>(letter) >= 0x80;
}

}  // namespace

void add_text(Word& word, std::string_view text, bool quoted) {
    if (!word.pieces.empty()) {
        Piece& last = word.pieces.back();
        if (last.kind == Piece::Kind::Text && last.quoted == quoted) {
            last.text += text;
            return;
        }
    }
    word.pieces.push_back({Piece::Kind::Text, std::string(text), quoted, {}});
}

bool Parser::word_ends(char letter, Mode mode) {
    if (at_ >= end_) return true;
    if (!is_break(letter)) return false;
    if ((letter == '<' || letter == '>') && peek_after(1) == '(') return false;
    if (mode == Mode::Regex) return letter != '(' && letter != '|';
    return true;
}

bool Parser::starts_extended_glob(char letter, Mode mode) {
    const bool sign =
        letter == '?' || letter == '*' || letter == '+' || letter == '@' || letter == '!';
    if (!sign || at_ + 1 >= end_ || text_[at_ + 1] != '(') return false;
    return mode == Mode::Pattern || state_.extended_globs;
}

Word Parser::read_word(Mode mode) {
    Word word;
    const size_t begin = at_;
    for (char letter = peek(); !stopped() && !word_ends(letter, mode); letter = peek()) {
        if (word.pieces.size() > most_pieces) give_up("one of its words has too many parts");
        if (is_plain(letter)) {
            const size_t start = at_;
            while (at_ < end_ && is_plain(text_[at_])) ++at_;
            add_text(word, slice(start, at_), false);
        } else if (starts_extended_glob(letter, mode) || letter == '(') {
            read_group(word, mode);
        } else {
            read_part(word, letter);
        }
    }
    word.range = range_from(begin);
    note_subscript(word);
    note_token(Token::Kind::Word, begin, word);
    return word;
}

// What starts with a letter that is not just a letter.
void Parser::read_part(Word& word, char letter) {
    switch (letter) {
        case '\\':
            advance();
            add_text(word, at_ < end_ ? text_[at_] : '\\', true);
            if (at_ < end_) ++at_;
            return;
        case '\'': return read_single(word);
        case '"': return read_double(word);
        case '`': return read_backtick(word, Quoting::None);
        case '$': return read_dollar(word, Quoting::None);
        case '[': return read_bracket(word);
        case '<':
        case '>': return read_process(word);
        case '*':
        case '?':
            word.pieces.push_back({Piece::Kind::Glob, std::string(1, letter), false, {}});
            return advance();
        default: break;
    }
    if (letter == '~' && word.pieces.empty()) return read_tilde(word);
    add_text(word, letter, false);
    advance();
}

void Parser::read_single(Word& word) {
    const size_t close = text_.substr(0, end_).find('\'', at_ + 1);
    if (close == std::string_view::npos)
        return fail("unexpected EOF while looking for matching `''");
    add_text(word, slice(at_ + 1, close), true);
    at_ = close + 1;
}

void Parser::read_double(Word& word) {
    advance();
    add_text(word, "", true);
    for (;;) {
        const char letter = peek();
        if (stopped()) return;
        if (at_ >= end_) return fail("unexpected EOF while looking for matching `\"'");
        if (letter == '"') break;
        if (letter == '\\') {
            const char after = peek_after(1);
            const bool escapes = after == '$' || after == '`' || after == '"' || after == '\\';
            if (!escapes) add_text(word, '\\', true);
            advance();
            if (at_ < end_) add_text(word, text_[at_++], true);
        } else if (letter == '$') {
            read_dollar(word, Quoting::Double);
        } else if (letter == '`') {
            read_backtick(word, Quoting::Double);
        } else {
            const size_t start = at_++;
            while (at_ < end_ && text_[at_] != '"' && text_[at_] != '\\' && text_[at_] != '$' &&
                   text_[at_] != '`')
                ++at_;
            add_text(word, slice(start, at_), true);
        }
    }
    advance();
}

// The quote that ends $'...', whose text begins here.
size_t Parser::end_of_ansi(size_t begin) const {
    size_t at = begin;
    while (at < end_ && text_[at] != '\'') at += text_[at] == '\\' ? 2U : 1U;
    return at;
}

void Parser::read_ansi(Word& word) {
    const size_t begin = at_ + 2;
    const size_t at = end_of_ansi(begin);
    if (at >= end_) {
        at_ = end_;
        return fail("unexpected EOF while looking for matching `''");
    }
    add_text(word, decode_ansi(slice(begin, at)), true);
    at_ = at + 1;
}

// [ab] is a glob if it is closed in this word; a lone [ is a letter.
void Parser::read_bracket(Word& word) {
    constexpr size_t longest = 256;
    const size_t stop = std::min(end_, at_ + longest);
    size_t at = at_ + 1;
    while (at < stop && !is_break(text_[at]) && text_[at] != ']' && text_[at] != '\'' &&
           text_[at] != '"' && text_[at] != '$' && text_[at] != '`' && text_[at] != '\\')
        ++at;
    if (at < end_ && text_[at] == ']' && at > at_ + 1) {
        word.pieces.push_back({Piece::Kind::Glob, std::string(slice(at_, at + 1)), false, {}});
        at_ = at + 1;
        return;
    }
    // Quotes or expansions inside: as a whole not known.
    const bool unclosed = at >= end_ || is_break(text_[at]);
    if (unclosed || text_[at] == ']')
        add_text(word, '[', false);
    else
        word.pieces.push_back({Piece::Kind::Glob, "[", false, {}});
    advance();
}

void Parser::read_tilde(Word& word) {
    const size_t start = at_++;
    while (at_ < end_ && (is_name_letter(text_[at_]) || text_[at_] == '-' || text_[at_] == '.' ||
                          text_[at_] == '+'))
        ++at_;
    const char after = peek();
    const bool expands = at_ >= end_ || after == '/' || after == ':' || is_break(after);
    if (expands)
        word.pieces.push_back({Piece::Kind::Tilde, std::string(slice(start, at_)), false, {}});
    else
        add_text(word, slice(start, at_), false);
}

// +(a|b), or a group of a regular expression: up to its parenthesis, with what is expanded in it.
void Parser::read_group(Word& word, Mode mode) {
    const size_t start = at_;
    if (peek() != '(') advance();
    advance();
    if (!enter()) return leave();
    Word inside;
    while (!stopped()) {
        const char letter = peek();
        if (at_ >= end_) {
            fail("unexpected EOF while looking for matching `)'");
        } else if (letter == ')') {
            advance();
            break;
        } else if (letter == '(' || starts_extended_glob(letter, mode)) {
            read_group(inside, mode);
        } else {
            scan_quoted(inside, letter);
        }
    }
    leave();
    note_subscript(inside);
    word.pieces.push_back({Piece::Kind::Glob, std::string(slice(start, at_)), false, {}});
}

}  // namespace husk::parse
