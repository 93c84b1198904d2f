// Lists, pipelines, and which kind of command comes next.
#include <algorithm>
#include <array>

#include "parse/letters.h"
#include "parse/parser.h"

namespace husk::parse {
namespace {

// Keywords that end a list, or that may not begin a command.
constexpr std::array<std::string_view, 10> closers = {"then", "do",   "done", "fi", "else",
                                                      "elif", "esac", "}",    "in", "]]"};

}  // namespace

bool is_closer(const std::string& word) {
    return std::ranges::find(closers, word) != closers.end();
}

// The unquoted word that starts here, as far as it could be a keyword.
std::string Parser::peek_word() {
    constexpr size_t longest = 9;
    peek();
    std::string word;
    for (size_t at = at_; word.size() <= longest; ++at) {
        while (at + 1 < end_ && text_[at] == '\\' && text_[at + 1] == '\n') at += 2;
        const char letter = at < end_ ? text_[at] : '\0';
        const bool process =
            (letter == '<' || letter == '>') && at + 1 < end_ && text_[at + 1] == '(';
        if (process) return "";  // the word goes on
        if (is_break(letter)) return word;
        if (letter == '\'' || letter == '"' || letter == '\\' || letter == '$' || letter == '`')
            return "";
        word += letter;
    }
    return "";
}

bool Parser::eat_keyword(std::string_view keyword) {
    if (peek_word() != keyword) return false;
    for (size_t i = 0; i < keyword.size(); ++i) {
        peek();
        advance();
    }
    return true;
}

void Parser::expect_keyword(std::string_view keyword) {
    if (!stopped() && !eat_keyword(keyword)) fail_here();
}

void Parser::take_newline() {
    advance();
    read_documents();
}

// bash reads a whole command, up to the end of its last line, before it runs any of it. So `shopt`
// has no effect on the rest of its line, or on the rest of an `if` or `{` around it.
void Parser::end_complete_command() {
    state_.extended_globs = state_.extended_globs || state_.extended_globs_later;
}

bool Parser::skip_newlines() {
    bool any = false;
    for (;;) {
        skip_blanks();
        skip_comment();
        if (peek() != '\n' || stopped()) return any;
        take_newline();
        any = true;
    }
}

bool Parser::at_list_end() {
    skip_blanks();
    skip_comment();
    const char letter = peek();
    if (at_ >= end_ || letter == ')') return true;
    if (letter == ';' && (peek_after(1) == ';' || peek_after(1) == '&')) return true;
    return is_closer(peek_word());
}

Parser::Separator Parser::read_separator() {
    skip_blanks();
    skip_comment();
    const char letter = peek();
    const char after = peek_after(1);
    if (at_ >= end_) return Separator::None;
    if (letter == '\n') {
        take_newline();
        return Separator::Newline;
    }
    if (letter == ';' && after != ';' && after != '&') {
        advance();
        return Separator::Sequence;
    }
    if (letter == '&' && after == '&') {
        advance();
        peek();
        advance();
        return Separator::And;
    }
    if (letter == '|' && after == '|') {
        advance();
        peek();
        advance();
        return Separator::Or;
    }
    if (letter == '&') {
        advance();
        return Separator::Background;
    }
    return Separator::None;
}

bool Parser::parse_list() {
    ++lists_;
    const bool any = parse_commands();
    --lists_;
    return any;
}

bool Parser::parse_commands() {
    skip_newlines();
    if (at_list_end()) return false;
    size_t first = state_.script.commands.size();  // of what one & would end
    while (!stopped()) {
        parse_pipeline();
        if (stopped()) return true;
        const Separator separator = read_separator();
        if (separator == Separator::None) return true;
        if (separator == Separator::Background) mark_background(first);
        if (separator == Separator::And || separator == Separator::Or) {
            skip_newlines();
            if (at_list_end() || at_end()) {
                fail_here();
                return true;
            }
            continue;
        }
        first = state_.script.commands.size();
        const bool is_end_of_line = skip_newlines() || separator == Separator::Newline;
        if (is_end_of_line && lists_ == 1) end_complete_command();
        if (at_list_end()) return true;
    }
    return true;
}

void Parser::mark_background(size_t first) {
    auto& commands = state_.script.commands;
    for (size_t i = first; i < commands.size(); ++i) commands[i].background = true;
}

void Parser::skip_time_options() {
    for (;;) {
        skip_blanks();
        if (!eat_keyword("-p") && !eat_keyword("--")) return;
    }
}

void Parser::parse_pipeline() {
    bool prefixed = false;
    for (;;) {
        skip_blanks();
        if (eat_keyword("!")) {
            prefixed = true;
        } else if (eat_keyword("time")) {
            prefixed = true;
            skip_time_options();
        } else {
            break;
        }
    }
    skip_blanks();
    const char letter = peek();
    const bool bare = at_ >= end_ || letter == '\n' || letter == ';' || letter == '#' ||
                      (letter == '&' && peek_after(1) != '&' && peek_after(1) != '>');
    if (prefixed && bare) return;  // `time` and `!` alone are complete
    Pipeline pipeline;
    auto& commands = state_.script.commands;
    for (;;) {
        const size_t first = commands.size();
        parse_command();
        if (stopped()) return;
        pipeline.stages.push_back({first, commands.size()});
        skip_blanks();
        if (peek() != '|' || peek_after(1) == '|') break;
        advance();
        eat('&');
        skip_newlines();
        if (at_list_end() || peek_word() == "!") return fail_here();
    }
    if (pipeline.stages.size() > 1) state_.script.pipelines.push_back(std::move(pipeline));
}

void Parser::parse_command() {
    if (state_.script.commands.size() >= state_.limits.commands)
        return give_up("it has more than " + std::to_string(state_.limits.commands) + " commands");
    skip_blanks();
    const char letter = peek();
    if (letter == '(') {
        if (peek_after(1) == '(') return parse_arithmetic_command();
        return parse_subshell();
    }
    const std::string word = peek_word();
    if (!word.empty()) {
        if (is_closer(word)) return fail_here();
        if (parse_compound(word)) return;
    }
    parse_simple();
}

}  // namespace husk::parse
