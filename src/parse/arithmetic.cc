// Arithmetic: everything in it is expanded.
#include "parse/hidden.h"
#include "parse/letters.h"
#include "parse/parser.h"
#include "parse/variables.h"

namespace husk::parse {

// True when what starts here is arithmetic up to "))"; else nothing has happened.
bool Parser::try_arithmetic() {
    Script& script = state_.script;
    const size_t commands = script.commands.size();
    const size_t pipelines = script.pipelines.size();
    const size_t functions = script.functions.size();
    const size_t loops = script.loops.size();
    const size_t reasons = script.not_understood.size();
    const size_t carrier = state_.carrier;
    const Via via = state_.via;
    if (!enter()) {
        leave();
        return false;
    }
    const size_t begin = at_;
    ++state_.arithmetic_depth;
    const bool arithmetic = scan_arithmetic();
    --state_.arithmetic_depth;
    leave();
    if (arithmetic && !stopped()) {
        state_.arithmetic = true;
        note_arithmetic(begin);
        return true;
    }
    state_.derived += at_ - begin + 1;
    if (state_.derived > most_read_again) {
        give_up("its parentheses are too tangled");
        return false;
    }
    if (script.not_understood.size() > reasons && stopped()) return false;  // too much anyway
    script.error.reset();
    state_.stopped = false;
    state_.carrier = carrier;
    state_.via = via;
    script.commands.resize(commands);
    script.pipelines.resize(pipelines);
    script.functions.resize(functions);
    script.loops.resize(loops);
    script.not_understood.resize(reasons);
    return false;
}

// The text from `begin` on has been read as arithmetic. Only the outermost is looked at, which has
// all others in it.
void Parser::note_arithmetic(size_t begin) {
    if (state_.arithmetic_depth > 0 || stopped()) return;
    const std::string_view text = slice(begin, at_);
    state_.subscript_to_fill |= is_subscript_to_fill(text);
    if (!text.contains('=') && !text.contains("++") && !text.contains("--")) return;
    const std::string name = deciding_name_in(text);
    if (!name.empty()) not_understood("arithmetic sets " + name);
    if (sets_unknown_name(text)) not_understood("arithmetic sets a variable that is not known");
}

bool Parser::scan_arithmetic() {
    Word word;
    size_t depth = 0;
    bool in_single = false;
    while (!stopped()) {
        const char letter = peek();
        if (at_ >= end_) return false;
        if (letter == '\'') {
            in_single = !in_single;
            advance();
        } else if (in_single && letter != '$' && letter != '`') {
            take_letter(word);
        } else if (letter == '(') {
            ++depth;
            take_letter(word);
        } else if (letter == ')' && depth > 0) {
            --depth;
            take_letter(word);
        } else if (letter == ')') {
            note_subscript(word);
            advance();
            return eat(')');
        } else {
            scan_live(word, letter, Quoting::Inside);
        }
    }
    return false;
}

void Parser::read_old_arithmetic(Word& word, Quoting quoting) {
    const size_t begin = at_;
    advance();
    peek();
    if (scan_subscript())
        word.pieces.push_back({Piece::Kind::Arithmetic,
                               std::string(slice(begin, at_)),
                               quoting != Quoting::None,
                               {}});
}

// [ ... ] with brackets that pair. It is arithmetic: everything in it is expanded, also what
// stands in single quotes.
bool Parser::scan_subscript() {
    const size_t begin = at_;
    Word word;
    size_t depth = 0;
    bool in_single = false;
    if (!is_plain_index()) state_.arithmetic = true;
    while (!stopped()) {
        const char letter = peek();
        if (at_ >= end_) {
            fail("unexpected EOF while looking for matching `]'");
        } else if (letter == '\'') {
            in_single = !in_single;
            advance();
        } else if (in_single && letter != '$' && letter != '`') {
            take_letter(word);
        } else if (letter == '[') {
            ++depth;
            take_letter(word);
        } else if (letter == ']') {
            advance();
            if (--depth > 0) continue;
            state_.subscript_in_text |= has_substitution(literal_text(word));
            note_arithmetic(begin);
            return true;
        } else {
            scan_live(word, letter, Quoting::Inside);
        }
    }
    return false;
}

// [@], [*] and [1], of which nothing is evaluated.
bool Parser::is_plain_index() const {
    const char first = peek_after(1);
    if (first == '@' || first == '*') return true;
    size_t after = 1;
    while (is_digit(peek_after(after))) ++after;
    return after > 1 && peek_after(after) == ']';
}

}  // namespace husk::parse
