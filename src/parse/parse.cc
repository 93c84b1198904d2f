// The door: parses, adds what commands carry, and puts everything in order.
#include "parse/arrangement.h"
#include "parse/parser.h"

namespace husk::parse {

Script parse_nested(std::string_view text, const Limits& limits, size_t depth, Budget& budget) {
    State state{limits};
    state.script.source = std::string(text);
    if (text.size() > limits.bytes) {
        state.script.not_understood.push_back("it has more than " + std::to_string(limits.bytes) +
                                              " bytes");
    } else if (text.find('\0') != std::string_view::npos) {
        state.script.error = SyntaxError{"it contains a NUL byte", 1};
    } else {
        Parser parser(state.script.source, state);
        parser.parse_all();
    }
    budget.hidden.subscript_in_text |= state.subscript_in_text;
    budget.hidden.arithmetic |= state.arithmetic;
    budget.hidden.subscript_to_fill |= state.subscript_to_fill;
    budget.hidden.substitution_in_text |= state.substitution_in_text;
    Arrangement(state.script, limits, depth, budget).arrange();
    return std::move(state.script);
}

Script parse(std::string_view text, const Limits& limits) {
    Budget budget;
    return parse_nested(text, limits, 0, budget);
}

}  // namespace husk::parse
