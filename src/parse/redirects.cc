// Redirects and here-documents.
#include <algorithm>
#include <utility>

#include "parse/letters.h"
#include "parse/parser.h"

namespace husk::parse {
namespace {

bool is_descriptor(const Word& word) {
    const std::string text = word.shown();
    return word.known() && (text == "-" || (!text.empty() && is_digit(text[0])));
}

std::string without_leading_tabs(std::string_view text) {
    std::string result;
    bool line_start = true;
    for (const char letter : text) {
        if (line_start && letter == '\t') continue;
        line_start = letter == '\n';
        result += letter;
    }
    return result;
}

}  // namespace

bool Parser::is_redirect_ahead() {
    const char letter = peek();
    if (letter == '&') return peek_after(1) == '>';
    size_t after = 0;
    if (is_digit(letter)) {
        while (is_digit(peek_after(after))) ++after;
    } else if (letter == '{' && is_name_start(peek_after(1))) {
        after = 1;
        while (is_name_letter(peek_after(after))) ++after;
        if (peek_after(after++) != '}') return false;
    }
    const char sign = peek_after(after);
    return (sign == '<' || sign == '>') && peek_after(after + 1) != '(';
}

// 2> or {name}>, up to the sign.
void Parser::read_descriptor(Redirect& redirect, size_t command) {
    if (peek() == '{') {
        std::string name;
        for (advance(); peek() != '}'; advance()) name += peek();
        state_.script.commands[command].sets.push_back(std::move(name));
        return advance();
    }
    if (!is_digit(peek())) {
        redirect.descriptor = peek() == '<' ? 0 : 1;
        return;
    }
    constexpr int largest = 100'000;
    redirect.descriptor = 0;
    for (; is_digit(peek()); advance())
        redirect.descriptor = std::min(largest, redirect.descriptor * 10 + (text_[at_] - '0'));
}

Parser::Operator Parser::read_operator() {
    using Kind = Redirect::Kind;
    const bool both = eat('&');
    const bool input = peek() == '<';
    advance();
    if (!input) {
        if (eat('>')) return {Kind::Append};
        if (!both && eat('&')) return {Kind::Write, false, true};
        if (!both) eat('|');
        return {Kind::Write};
    }
    if (eat('>')) return {Kind::ReadWrite, true};
    if (eat('&')) return {Kind::Read, true, true};
    if (!eat('<')) return {Kind::Read, true};
    if (eat('<')) return {Kind::HereString, true};
    return {Kind::HereDocument, true, false, eat('-')};
}

void Parser::parse_redirect(size_t command) {
    Redirect redirect;
    const size_t begin = at_;
    read_descriptor(redirect, command);
    const Operator sign = read_operator();
    redirect.kind = sign.kind;
    skip_blanks();
    // A number that is followed by < belongs to that.
    if (!is_word_ahead() || peek() == '#' || (!sign.duplicate && is_redirect_ahead()))
        return fail_here();
    // Not kept over the reading of a word: that may add commands.
    const auto redirects = [&]() -> std::vector<Redirect>& {
        return state_.script.commands[command].redirects;
    };
    if (redirect.kind == Redirect::Kind::HereDocument) {
        redirects().push_back(std::move(redirect));
        read_document_delimiter(command, sign.strip_tabs);
        redirects().back().range = range_from(begin);
        return;
    }
    redirect.target = read_word(Mode::Plain);
    const bool file = !sign.input && redirect.target.known() && !is_descriptor(redirect.target);
    if (sign.duplicate && !file) redirect.kind = Redirect::Kind::Duplicate;
    redirect.range = range_from(begin);
    redirects().push_back(std::move(redirect));
}

void Parser::read_document_delimiter(size_t command, bool strip_tabs) {
    const size_t begin = at_;
    PendingDocument document{
        command, state_.script.commands[command].redirects.size() - 1, {}, false, strip_tabs};
    while (!stopped() && !is_break(peek())) {
        const char letter = peek();
        const char after = peek_after(1);
        const bool odd =
            letter == '`' ||
            (letter == '$' && (after == '\'' || after == '"' || after == '{' || after == '('));
        if (odd) return give_up("a here-document ends with a word that is hard to read");
        if (letter == '\\') {
            document.quoted = true;
            advance();
            if (at_ < end_) document.delimiter += text_[at_++];
        } else if (letter == '\'') {
            document.quoted = true;
            Word quoted;
            read_single(quoted);
            document.delimiter += quoted.shown();
        } else if (letter == '"') {
            document.quoted = true;
            Word quoted;
            read_double(quoted);
            if (!quoted.known())
                return give_up("a here-document ends with a word that is hard to read");
            document.delimiter += quoted.shown();
        } else {
            document.delimiter += letter;
            advance();
        }
    }
    Word word;
    add_text(word, document.delimiter, document.quoted);
    note_token(Token::Kind::Word, begin, word);
    documents_.push_back(std::move(document));
}

void Parser::read_documents() {
    while (!documents_.empty() && !stopped()) {
        std::vector<PendingDocument> now;
        now.swap(documents_);
        for (const PendingDocument& document : now) read_document(document);
    }
}

// A line as bash sees it: where the delimiter is not quoted, a backslash joins lines.
std::string Parser::read_document_line(bool quoted) {
    std::string line;
    for (;;) {
        const size_t newline = std::min(text_.substr(0, end_).find('\n', at_), end_);
        line += slice(at_, newline);
        at_ = std::min(newline + 1, end_);
        if (quoted || newline >= end_) return line;
        const size_t last = line.find_last_not_of('\\');
        const size_t backslashes = line.size() - (last == std::string::npos ? 0 : last + 1);
        if (backslashes % 2 == 0) return line;
        line.pop_back();
    }
}

// Where the body ends; the text is read up to behind the delimiter.
size_t Parser::find_document_end(const PendingDocument& document) {
    while (at_ < end_) {
        const size_t begin = at_;
        std::string line = read_document_line(document.quoted);
        if (document.strip_tabs) line.erase(0, std::min(line.find_first_not_of('\t'), line.size()));
        if (line == document.delimiter) return begin;
    }
    // bash takes the rest for its body and warns; that is rarely what was meant.
    not_understood("a here-document does not end");
    return end_;
}

void Parser::read_document(const PendingDocument& document) {
    const size_t begin = at_;
    const size_t body_end = find_document_end(document);
    const size_t after = at_;
    if (state_.nesting > 0) state_.derived += after - begin;
    if (state_.derived > most_read_again) return give_up("its here-documents are too tangled");
    Word body;
    body.range = origin_ ? *origin_ : Range{begin, body_end};
    if (document.quoted) {
        const std::string_view text = slice(begin, body_end);
        body.pieces.push_back({Piece::Kind::Text,
                               document.strip_tabs ? without_leading_tabs(text) : std::string(text),
                               true,
                               {}});
    } else {
        const size_t outer_end = std::exchange(end_, body_end);
        const size_t carrier = std::exchange(state_.carrier, document.command);
        const Via via = std::exchange(state_.via, Via::Substitution);
        at_ = begin;
        scan_document(body);
        end_ = outer_end;
        state_.carrier = carrier;
        state_.via = via;
        if (document.strip_tabs)
            for (Piece& piece : body.pieces)
                if (piece.kind == Piece::Kind::Text) piece.text = without_leading_tabs(piece.text);
    }
    at_ = after;
    note_token(Token::Kind::Document, begin);
    state_.script.commands[document.command].redirects[document.redirect].target = std::move(body);
}

}  // namespace husk::parse
