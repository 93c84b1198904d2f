// [[ ]]: its operators are words, and what stands right of some of them is a pattern.
#include <algorithm>
#include <string_view>

#include "parse/hidden.h"
#include "parse/parser.h"
#include "parse/variables.h"

namespace husk::parse {
namespace {

constexpr std::string_view unary_letters = "abcdefghknoprstuvwxzGLNORS";
constexpr std::string_view binary_operators[] = {"<",   "==",  "!=",  "=~",  "=",   "-eq", "-ne",
                                                 "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};

}  // namespace

void Parser::parse_test() {
    parse_test_or();
    skip_newlines();
    if (stopped()) return;
    if (peek() != ']' || peek_after(1) != ']') return fail_here();
    advance();
    peek();
    advance();
}

void Parser::parse_test_or() {
    for (;;) {
        parse_test_and();
        skip_newlines();
        if (stopped() || peek() != '|' || peek_after(1) != '|') return;
        advance();
        peek();
        advance();
    }
}

void Parser::parse_test_and() {
    for (;;) {
        parse_test_term();
        skip_newlines();
        if (stopped() || peek() != '&' || peek_after(1) != '&') return;
        advance();
        peek();
        advance();
    }
}

void Parser::parse_test_term() {
    skip_newlines();
    if (stopped() || !enter()) return leave();
    if (eat_keyword("!")) {
        parse_test_term();
        return leave();
    }
    if (peek() == '(') {
        advance();
        parse_test_or();
        skip_newlines();
        if (!stopped() && !eat(')')) fail_here();
        return leave();
    }
    leave();
    parse_test_words();
}

bool Parser::at_test_end() {
    const char now = peek();
    return at_ >= end_ || now == '\n' || now == ')' || now == '&' || now == '|' ||
           peek_word() == "]]";
}

void Parser::note_test_arithmetic(const std::string& text) {
    if (sets_deciding_variable(text))
        not_understood("arithmetic may set a variable that decides what is run");
}

// Behind -v and the like.
void Parser::parse_unary_test(char letter) {
    if (letter == 'v' || letter == 'R') state_.arithmetic = true;  // these take subscripts
    const Word name = read_word(Mode::Test);
    state_.subscript_to_fill |= is_subscript_to_fill(name);
    if (letter == 'v') note_test_arithmetic(name.shown());
}

// One word, an operator and a word, or two words with an operator between them.
void Parser::parse_test_words() {
    if (!is_word_ahead() || peek_word() == "]]") return fail_here();
    const Word first = read_word(Mode::Test);
    const std::string text = first.shown();
    skip_blanks();
    if (stopped()) return;
    const bool unary = text.size() == 2 && text[0] == '-' && first.known() &&
                       unary_letters.find(text[1]) != std::string_view::npos;
    if (at_test_end()) {
        // A word alone ends on its line; an operator needs what it is about.
        if (unary || peek() == '\n') fail_here();
        return;
    }
    if (unary) return parse_unary_test(text[1]);
    const size_t before = at_;
    std::string op;
    if ((peek() == '<' || peek() == '>') && peek_after(1) != '(') {
        op.assign(1, '<');
        advance();
    } else {
        op = read_word(Mode::Test).shown();
    }
    skip_blanks();
    const bool binary = std::ranges::find(binary_operators, op) != std::end(binary_operators);
    if (!binary || at_test_end()) {
        at_ = before;
        return fail_here();
    }
    const bool pattern = op == "==" || op == "!=" || op == "=";
    const Word second = read_word(op == "=~" ? Mode::Regex : pattern ? Mode::Pattern : Mode::Test);
    if (!op.starts_with('-')) return;
    state_.arithmetic = true;
    state_.subscript_to_fill |= is_subscript_to_fill(first) || is_subscript_to_fill(second);
    note_test_arithmetic(text);
    note_test_arithmetic(second.shown());
}

}  // namespace husk::parse
