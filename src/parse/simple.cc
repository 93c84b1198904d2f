// Simple commands: assignments, words, redirects.
#include <algorithm>
#include <array>
#include <utility>

#include "parse/letters.h"
#include "parse/parser.h"

namespace husk::parse {
namespace {

constexpr size_t most_from_braces = 256;
constexpr size_t longest_subscript = 4096;

// Builtins whose arguments may be x=(a b).
bool takes_assignments(const std::vector<Word>& words) {
    static constexpr std::array<std::string_view, 8> builtins = {
        "declare", "typeset", "local", "export", "readonly", "alias", "eval", "let"};
    if (words.empty()) return false;
    const Word& first = words.front();
    return std::ranges::any_of(builtins, [&](std::string_view name) { return first.is(name); });
}

// To a builtin it is an argument; the value may be code or a path all the same.
Word as_argument(Assignment assignment) {
    Word word = std::move(assignment.value);
    word.pieces.insert(word.pieces.begin(), {Piece::Kind::Text, assignment.name + "=", false, {}});
    word.range = assignment.range;
    return word;
}

Operator operator_before(std::string_view text) {
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    if (text.ends_with("&&")) return Operator::And;
    if (text.ends_with("||")) return Operator::Or;
    if (text.ends_with("|") || text.ends_with("|&")) return Operator::Pipe;
    if (text.ends_with("&")) return Operator::Background;
    return text.ends_with(";") ? Operator::Sequence : Operator::None;
}

}  // namespace

size_t Parser::begin_command() {
    Command command;
    command.behind = operator_before(text_.substr(0, at_));
    command.via = state_.via;
    command.carrier = state_.carrier;
    if (state_.carrier != Command::none)
        command.depth = state_.script.commands[state_.carrier].depth + 1;
    state_.script.commands.push_back(std::move(command));
    // What its words substitute is carried by it.
    state_.carrier = state_.script.commands.size() - 1;
    state_.via = Via::Substitution;
    return state_.carrier;
}

void Parser::finish_command(size_t index, size_t begin, size_t end) {
    Command& command = state_.script.commands[index];
    command.range = origin_ ? *origin_ : Range{begin, end};
    command.text = std::string(slice(begin, end));
    state_.carrier = command.carrier;
    state_.via = command.via;
}

void Parser::add_words(std::vector<Word>& words, Word word) {
    if (++state_.words > state_.limits.words)
        return give_up("it has more than " + std::to_string(state_.limits.words) + " words");
    if (auto several = expand_braces(word, most_from_braces)) {
        state_.words += several->size();
        for (const Word& one : *several) state_.derived += one.shown().size();
        if (state_.words > state_.limits.words || state_.derived > most_read_again)
            return give_up("its braces make too many words");
        for (Word& one : *several) words.push_back(std::move(one));
        return;
    }
    words.push_back(std::move(word));
}

bool Parser::is_function_ahead() {
    size_t after = 1;
    while (is_blank(peek_after(after))) ++after;
    return peek_after(after) == ')';
}

// {a[$(x)]}>f: the word before a redirection names what the new descriptor is kept in.
void Parser::note_redirected_element(std::string_view before) {
    if (before.starts_with('{') && before.ends_with('}') && before.contains('['))
        not_understood("a redirection sets an element of an array");
}

// Behind the name of a command, an assignment is an argument.
void Parser::add_assignment(std::vector<Word>& words, std::vector<Assignment>& assignments) {
    Assignment assignment = read_assignment();
    if (words.empty())
        assignments.push_back(std::move(assignment));
    else
        words.push_back(as_argument(std::move(assignment)));
}

void Parser::parse_simple() {
    const size_t begin = at_;
    size_t end = at_;
    const size_t index = begin_command();
    std::vector<Word> words;
    std::vector<Assignment> assignments;
    bool any = false;
    size_t item = at_;  // where the last word began
    for (skip_blanks(); !stopped(); skip_blanks()) {
        const char letter = peek();
        if (at_ >= end_ || letter == '#') break;
        if (is_redirect_ahead()) {
            note_redirected_element(end == at_ ? slice(item, at_) : "");
            parse_redirect(index);
        } else if (letter == '(' && words.size() == 1 && assignments.empty() &&
                   state_.script.commands[index].redirects.empty() && is_function_ahead()) {
            return parse_function(index, words.front().shown());
        } else if (!is_word_ahead()) {
            if (letter == '(') fail_here();
            break;
        } else if (words.empty() && is_open_subscript_ahead()) {
            fail("unexpected EOF while looking for matching `]'");
        } else if (item = at_;
                   (words.empty() || takes_assignments(words)) && is_assignment_ahead()) {
            add_assignment(words, assignments);
        } else {
            add_words(words, read_word(Mode::Command));
        }
        any = true;
        end = at_;
    }
    if (!any && !stopped()) fail_here();
    note_effects(words);
    Command& command = state_.script.commands[index];
    command.words = std::move(words);
    command.assignments = std::move(assignments);
    finish_command(index, begin, end);
}

// name() ...: what looked like a command is none.
void Parser::parse_function(size_t index, const std::string& name) {
    if (state_.script.commands.size() > index + 1)
        return give_up("the name of a function is made by other commands");
    state_.carrier = state_.script.commands[index].carrier;
    state_.via = state_.script.commands[index].via;
    state_.script.commands.pop_back();
    advance();
    skip_blanks();
    advance();
    parse_function_body(name);
}

// What changes how bash reads the lines that follow.
void Parser::note_effects(const std::vector<Word>& words) {
    if (words.size() < 2 || !words.front().is("shopt")) return;
    const auto has = [&](std::string_view text) {
        return std::ranges::any_of(words, [&](const Word& word) { return word.is(text); });
    };
    if (has("extglob")) state_.extended_globs_later = true;
}

// name=, name+=, name[subscript]=
bool Parser::is_assignment_ahead() {
    if (!is_name_start(peek())) return false;
    size_t after = 1;
    while (is_name_letter(peek_after(after))) ++after;
    char letter = peek_after(after);
    if (letter == '[') {
        // Good enough to tell it from a glob; scan_subscript() reads it properly.
        size_t depth = 0;
        for (;; ++after) {
            letter = at_ + after < end_ ? text_[at_ + after] : '\0';
            if (letter == '\0' || after > longest_subscript) return false;
            if (letter == '[') ++depth;
            if (letter == ']' && --depth == 0) break;
        }
        letter = peek_after(++after);
    }
    if (letter == '+') letter = peek_after(after + 1);
    return letter == '=';
}

// name[ that nothing closes: bash looks for the bracket to the end of the text.
bool Parser::is_open_subscript_ahead() {
    if (at_ >= end_ || !is_name_start(text_[at_])) return false;
    size_t at = at_;
    while (at < end_ && is_name_letter(text_[at])) ++at;
    if (at >= end_ || text_[at] != '[') return false;
    if (!last_bracket_) last_bracket_ = text_.rfind(']');
    return *last_bracket_ == std::string_view::npos || *last_bracket_ < at;
}

Assignment Parser::read_assignment() {
    Assignment assignment;
    const size_t begin = at_;
    while (is_name_letter(peek())) {
        assignment.name += peek();
        advance();
    }
    if (peek() == '[') scan_subscript();
    assignment.appends = eat('+');
    if (stopped() || !eat('=')) {
        fail_here();
        return assignment;
    }
    if (peek() == '(') {
        assignment.array = true;
        assignment.value = read_array();
        if (is_word_ahead()) read_word(Mode::Plain);  // bash takes x=(1)y for one word, too
    } else if (is_word_ahead()) {
        assignment.value = read_word(Mode::Plain);
    } else {
        assignment.value.range = range_from(at_);
    }
    assignment.range = range_from(begin);
    note_token(Token::Kind::Assignment, begin);
    return assignment;
}

Word Parser::read_array() {
    Word all;
    const size_t begin = at_;
    advance();
    for (skip_newlines(); !stopped() && peek() != ')'; skip_newlines()) {
        if (!is_word_ahead()) {
            fail_here();
            break;
        }
        if (!all.pieces.empty()) all.pieces.push_back({Piece::Kind::Text, " ", false, {}});
        if (peek() == '[') scan_subscript();  // [index]=value; a glob otherwise, equally well
        if (!is_word_ahead()) continue;
        Word element = read_word(Mode::Plain);
        std::ranges::move(element.pieces, std::back_inserter(all.pieces));
    }
    if (!stopped() && !eat(')')) fail_here();
    all.range = range_from(begin);
    return all;
}

}  // namespace husk::parse
