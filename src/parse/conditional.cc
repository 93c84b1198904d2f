// [[ ]]: its operators are words, and what stands right of some of them is a pattern.
#include "parse/letters.h"
#include "parse/parser.h"

namespace husk::parse {

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
    if (!is_word_ahead() || peek_word() == "]]") return fail_here();
    const Word first = read_word(Mode::Test);
    const std::string text = first.shown();
    skip_blanks();
    if (stopped()) return;
    static constexpr std::string_view unary_letters = "abcdefghknoprstuvwxzGLNORS";
    const bool unary = text.size() == 2 && text[0] == '-' && first.known() &&
                       unary_letters.find(text[1]) != std::string_view::npos;
    const auto ends = [&] {
        const char now = peek();
        return at_ >= end_ || now == '\n' || now == ')' || now == '&' || now == '|' ||
               peek_word() == "]]";
    };
    if (ends()) {
        // A word alone ends on its line; an operator needs what it is about.
        if (unary || peek() == '\n') fail_here();
        return;
    }
    if (unary) {
        read_word(Mode::Test);
        return;
    }
    if ((peek() == '<' || peek() == '>') && peek_after(1) != '(') {
        advance();
        skip_blanks();
        if (ends()) return fail_here();
        read_word(Mode::Test);
        return;
    }
    const size_t before = at_;
    const Word second = read_word(Mode::Test);
    skip_blanks();
    const std::string op = second.shown();
    static constexpr std::string_view operators[] = {
        "==", "!=", "=~", "=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};
    bool binary = false;
    for (const std::string_view known : operators) binary = binary || op == known;
    if (binary && !ends()) {
        const bool pattern = op == "==" || op == "!=" || op == "=";
        read_word(op == "=~" ? Mode::Regex : pattern ? Mode::Pattern : Mode::Test);
        return;
    }
    at_ = before;
    fail_here();
}

}  // namespace husk::parse
