// Control flow, groups, tests, functions.
#include <algorithm>
#include <utility>

#include "parse/letters.h"
#include "parse/parser.h"

namespace husk::parse {

bool Parser::parse_compound(const std::string& keyword) {
    struct Form {
        std::string_view keyword;
        void (Parser::*parse)();
    };
    static constexpr Form forms[] = {
        {"{", &Parser::parse_group},       {"if", &Parser::parse_if},
        {"while", &Parser::parse_loop},    {"until", &Parser::parse_loop},
        {"for", &Parser::parse_for},       {"select", &Parser::parse_for},
        {"case", &Parser::parse_case},     {"[[", &Parser::parse_test},
        {"coproc", &Parser::parse_coproc}, {"function", &Parser::parse_function_keyword},
    };
    const auto* form = std::ranges::find(forms, keyword, &Form::keyword);
    if (form == std::end(forms)) return false;
    eat_keyword(keyword);
    if (enter()) (this->*form->parse)();
    leave();
    const bool has_redirects = keyword != "coproc" && keyword != "function";
    if (has_redirects && !stopped()) parse_compound_redirects();
    return true;
}

// Their redirects stand for themselves: a command without words.
void Parser::parse_compound_redirects() {
    skip_blanks();
    if (is_redirect_ahead()) {
        const size_t begin = at_;
        const size_t index = begin_command();
        size_t end = at_;
        while (!stopped() && is_redirect_ahead()) {
            parse_redirect(index);
            end = at_;
            skip_blanks();
        }
        finish_command(index, begin, end);
    }
    if (stopped()) return;
    const char letter = peek();
    const bool ends = at_ >= end_ || letter == '\n' || letter == ';' || letter == '&' ||
                      letter == '|' || letter == ')' || letter == '#';
    if (ends || at_list_end()) return;
    fail_here();
}

void Parser::parse_group() {
    if (!parse_list()) return fail_here();
    expect_keyword("}");
}

void Parser::parse_subshell() {
    advance();
    if (enter()) {
        if (!parse_list() && !stopped()) fail_here();
        if (!stopped() && !eat(')')) fail_here();
    }
    leave();
    if (!stopped()) parse_compound_redirects();
}

void Parser::parse_if() {
    for (;;) {
        if (!parse_list() && !stopped()) return fail_here();
        expect_keyword("then");
        if (!stopped() && !parse_list() && !stopped()) return fail_here();
        if (stopped()) return;
        if (eat_keyword("elif")) continue;
        if (eat_keyword("else") && !parse_list() && !stopped()) return fail_here();
        return expect_keyword("fi");
    }
}

void Parser::parse_loop() {
    if (!parse_list() && !stopped()) return fail_here();
    expect_keyword("do");
    if (!stopped() && !parse_list() && !stopped()) return fail_here();
    expect_keyword("done");
}

void Parser::parse_loop_body() {
    if (eat_keyword("{")) {
        if (!parse_list() && !stopped()) return fail_here();
        return expect_keyword("}");
    }
    expect_keyword("do");
    if (!stopped() && !parse_list() && !stopped()) return fail_here();
    expect_keyword("done");
}

void Parser::parse_for() {
    skip_blanks();
    if (peek() == '(' && peek_after(1) == '(') {
        const size_t begin = at_;
        advance();
        peek();
        advance();
        if (!try_arithmetic()) return fail_here();
        note_token(Token::Kind::Arithmetic, begin);
        skip_blanks();
        eat(';');
        skip_newlines();
        return parse_loop_body();
    }
    if (!is_word_ahead()) return fail_here();
    parse_for_each();
}

void Parser::parse_for_each() {
    Loop loop{.name = read_word(Mode::Plain).shown(), .words = {}};
    skip_newlines();
    if (eat_keyword("in")) {
        for (skip_blanks(); !stopped() && is_word_ahead() && peek() != '#'; skip_blanks())
            add_words(loop.words, read_word(Mode::Plain));
        skip_comment();
        if (stopped()) return;
        if (peek() == '\n')
            take_newline();
        else if (!eat(';'))
            return fail_here();
    } else {
        loop.words.push_back({.pieces = {{Piece::Kind::Variable, "$@", true, "@"}}, .range = {}});
        eat(';');
    }
    skip_newlines();
    loop.first = state_.script.commands.size();
    parse_loop_body();
    loop.last = state_.script.commands.size();
    state_.script.loops.push_back(std::move(loop));
}

void Parser::parse_case() {
    skip_blanks();
    if (!is_word_ahead()) return fail_here();
    read_word(Mode::Plain);
    skip_newlines();
    expect_keyword("in");
    skip_newlines();
    while (!stopped()) {
        if (eat_keyword("esac")) return;
        parse_case_clause();
    }
}

void Parser::parse_case_clause() {
    eat('(');
    for (;;) {
        skip_blanks();
        if (!is_word_ahead()) return fail_here();
        read_word(Mode::Plain);
        skip_blanks();
        if (stopped() || !eat('|')) break;
    }
    if (stopped()) return;
    if (!eat(')')) return fail_here();
    parse_list();
    if (stopped()) return;
    skip_newlines();
    if (peek() == ';' && (peek_after(1) == ';' || peek_after(1) == '&')) {
        advance();
        const bool double_semicolon = peek() == ';';
        advance();
        if (double_semicolon) eat('&');
        skip_newlines();
        return;
    }
    if (peek_word() != "esac") fail_here();
}

void Parser::parse_function_keyword() {
    skip_blanks();
    if (!is_word_ahead()) return fail_here();
    const Word name = read_word(Mode::Plain);
    skip_blanks();
    if (peek() == '(' && peek_after(1) == ')') {
        advance();
        peek();
        advance();
    }
    parse_function_body(name.shown());
}

void Parser::parse_function_body(const std::string& name) {
    skip_newlines();
    const size_t first = state_.script.commands.size();
    if (stopped() || !enter()) return leave();
    const std::string keyword = peek_word();
    const bool compound = peek() == '(' || keyword == "{" || keyword == "if" ||
                          keyword == "while" || keyword == "until" || keyword == "for" ||
                          keyword == "select" || keyword == "case" || keyword == "[[";
    if (compound)
        parse_command();
    else
        fail_here();
    leave();
    state_.script.functions.push_back({name, first, state_.script.commands.size()});
}

void Parser::parse_coproc() {
    skip_blanks();
    if (peek() == '(') return parse_command();
    std::string word = peek_word();
    if (!word.empty() && parse_compound(word)) return;
    // coproc NAME compound: the name is passed over when a compound follows.
    const size_t before = at_;
    if (is_name_start(peek())) {
        std::string name;
        for (; is_name_letter(peek()); advance()) name += peek();
        if (is_blank(peek())) {
            skip_blanks();
            const size_t behind = at_;
            if (peek() == '(')
                parse_command();
            else if (word = peek_word(); word != "[[" && !word.empty())
                parse_compound(word);
            if (at_ != behind) return note_set(name);
        }
    }
    at_ = before;
    if (is_closer(peek_word())) return fail_here();
    parse_simple();
}

// ((x)), or a subshell in a subshell: bash tries the first, and so do we.
void Parser::parse_arithmetic_command() {
    const size_t begin = at_;
    advance();
    peek();
    advance();
    if (try_arithmetic()) {
        note_token(Token::Kind::Arithmetic, begin);
        return parse_compound_redirects();
    }
    if (stopped()) return;
    at_ = begin;
    parse_subshell();
}

}  // namespace husk::parse
