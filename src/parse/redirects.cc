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

bool Parser::parse_redirect(size_t command) {
    using Kind = Redirect::Kind;
    Redirect redirect;
    const size_t begin = at_;
    bool named = false;
    bool numbered = false;
    if (peek() == '{') {
        named = true;
        while (peek() != '}') advance();
        advance();
    }
    if (is_digit(peek())) {
        numbered = true;
        redirect.descriptor = 0;
        constexpr int largest = 100'000;
        for (; is_digit(peek()); advance())
            redirect.descriptor = std::min(largest, redirect.descriptor * 10 + (text_[at_] - '0'));
    }
    const bool both = eat('&');
    const bool input = peek() == '<';
    advance();
    if (!named && !numbered) redirect.descriptor = input ? 0 : 1;
    bool document = false;
    bool strip_tabs = false;
    bool duplicate = false;
    redirect.kind = input ? Kind::Read : Kind::Write;
    if (input && eat('<')) {
        redirect.kind = Kind::HereDocument;
        document = true;
        if (eat('<')) {
            redirect.kind = Kind::HereString;
            document = false;
        } else {
            strip_tabs = eat('-');
        }
    } else if (input && eat('>')) {
        redirect.kind = Kind::ReadWrite;
    } else if (!input && eat('>')) {
        redirect.kind = Kind::Append;
    } else if (!both && eat('&')) {
        duplicate = true;
    } else if (!input && !both) {
        eat('|');
    }
    skip_blanks();
    // A number that is followed by < belongs to that.
    if (!is_word_ahead() || peek() == '#' || (!duplicate && is_redirect_ahead())) {
        fail_here();
        return false;
    }
    auto& redirects = state_.script.commands[command].redirects;
    if (document) {
        redirect.range = range_from(begin);
        redirects.push_back(std::move(redirect));
        read_document_delimiter(command, strip_tabs);
        state_.script.commands[command].redirects.back().range = range_from(begin);
        return true;
    }
    redirect.target = read_word(Mode::Plain);
    if (duplicate && (input || is_descriptor(redirect.target) || !redirect.target.known()))
        redirect.kind = Kind::Duplicate;
    redirect.range = range_from(begin);
    state_.script.commands[command].redirects.push_back(std::move(redirect));
    return true;
}

void Parser::read_document_delimiter(size_t command, bool strip_tabs) {
    PendingDocument document{
        command, state_.script.commands[command].redirects.size() - 1, {}, false, strip_tabs};
    while (!is_break(peek())) {
        const char letter = peek();
        if (letter == '$' && (peek_after(1) == '\'' || peek_after(1) == '"'))
            return give_up("a here-document ends with a word that is quoted in an unusual way");
        if (letter == '\\') {
            document.quoted = true;
            advance();
            if (at_ < end_) document.delimiter += text_[at_++];
        } else if (letter == '\'' || letter == '"') {
            document.quoted = true;
            const size_t close = text_.substr(0, end_).find(letter, at_ + 1);
            if (close == std::string_view::npos)
                return fail("unexpected EOF while looking for matching `" + std::string(1, letter) +
                            "'");
            document.delimiter += slice(at_ + 1, close);
            at_ = close + 1;
        } else {
            document.delimiter += letter;
            advance();
        }
    }
    documents_.push_back(std::move(document));
}

void Parser::read_documents() {
    while (!documents_.empty() && !stopped()) {
        std::vector<PendingDocument> now;
        now.swap(documents_);
        for (const PendingDocument& document : now) read_document(document);
    }
}

void Parser::read_document(const PendingDocument& document) {
    const size_t begin = at_;
    size_t body_end = end_;
    while (at_ < end_) {
        const size_t line_begin = at_;
        std::string line;
        for (;;) {
            const size_t newline = std::min(text_.substr(0, end_).find('\n', at_), end_);
            line += slice(at_, newline);
            at_ = std::min(newline + 1, end_);
            if (document.quoted || newline >= end_) break;
            const size_t backslashes =
                line.size() - std::min(line.find_last_not_of('\\') + 1, line.size());
            if (backslashes % 2 == 0) break;
            line.pop_back();  // the newline is quoted: the next line belongs to this one
        }
        const size_t start =
            document.strip_tabs ? std::min(line.find_first_not_of('\t'), line.size()) : 0;
        if (line.compare(start, std::string::npos, document.delimiter) == 0) {
            body_end = line_begin;
            break;
        }
    }
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
    state_.script.commands[document.command].redirects[document.redirect].target = std::move(body);
}

}  // namespace husk::parse
