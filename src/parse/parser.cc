#include "parse/parser.h"

#include <algorithm>

#include "parse/letters.h"
#include "parse/variables.h"

namespace husk::parse {

char Parser::peek() {
    while (at_ + 1 < end_ && text_[at_] == '\\' && text_[at_ + 1] == '\n') at_ += 2;
    return at_ < end_ ? text_[at_] : '\0';
}

char Parser::peek_after(size_t count) const {
    size_t at = at_ + count;
    while (at + 1 < end_ && text_[at] == '\\' && text_[at + 1] == '\n') at += 2;
    return at < end_ ? text_[at] : '\0';
}

bool Parser::eat(char wanted) {
    if (peek() != wanted || at_ >= end_) return false;
    advance();
    return true;
}

void Parser::skip_blanks() {
    while (is_blank(peek())) advance();
}

bool Parser::is_word_ahead() {
    const char letter = peek();
    if ((letter == '<' || letter == '>') && peek_after(1) == '(') return true;
    return !is_break(letter);
}

void Parser::skip_comment() {
    if (peek() != '#') return;
    const size_t newline = text_.substr(0, end_).find('\n', at_);
    at_ = newline == std::string_view::npos ? end_ : newline;
}

Range Parser::range_from(size_t begin) const { return origin_ ? *origin_ : Range{begin, at_}; }

std::string_view Parser::slice(size_t begin, size_t end) const {
    return text_.substr(begin, end - begin);
}

void Parser::fail(const std::string& message) {
    if (state_.stopped) return;
    state_.stopped = true;
    const auto seen = text_.substr(0, std::min(at_, text_.size()));
    const auto line = static_cast<size_t>(std::ranges::count(seen, '\n')) + 1;
    state_.script.error = SyntaxError{message, line};
}

void Parser::fail_here() {
    const char letter = peek();
    if (at_ >= end_) return fail("syntax error: unexpected end of file");
    if (letter == '\n') return fail("syntax error near unexpected token `newline'");
    size_t end = at_ + 1;
    while (!is_break(letter) && end < end_ && !is_break(text_[end])) ++end;
    fail("syntax error near unexpected token `" + std::string(slice(at_, end)) + "'");
}

void Parser::not_understood(const std::string& reason) {
    auto& reasons = state_.script.not_understood;
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
}

void Parser::give_up(const std::string& reason) {
    not_understood(reason);
    state_.stopped = true;
}

void Parser::note_set(const std::string& name) {
    if (state_.carrier != Command::none)
        state_.script.commands[state_.carrier].sets.push_back(name);
    else if (name.empty())
        not_understood("it sets a variable whose name is not known");
    else if (decides_what_runs(name) || is_evaluated(name))
        not_understood("an expansion sets " + name);
}

void Parser::note_token(Token::Kind kind, size_t begin, const Word& word) {
    if (state_.noted != nullptr && !origin_ && at_ > begin)
        state_.noted->push_back({kind, {begin, at_}, word});
}

bool Parser::enter() {
    if (++state_.nesting <= state_.limits.depth) return true;
    give_up("it is nested more than " + std::to_string(state_.limits.depth) + " deep");
    return false;
}

void Parser::parse_all() {
    skip_newlines();
    while (!stopped() && !at_end()) {
        if (!parse_list() && !stopped()) fail_here();
        if (!stopped() && !at_end()) fail_here();
    }
    read_documents();
}

}  // namespace husk::parse
