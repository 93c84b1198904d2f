#include "decide/input.h"

#include <algorithm>
#include <ranges>

#include "base/names.h"
#include "parse/variables.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Piece;
using parse::Redirect;
using parse::Script;

constexpr size_t most_looked_at = 256;

bool is_input(const Redirect& redirect) {
    using enum Redirect::Kind;
    return redirect.kind == Read || redirect.kind == HereString || redirect.kind == HereDocument;
}

const Redirect* input_among(const std::vector<Redirect>& redirects) {
    const auto backwards = redirects | std::views::reverse;
    const auto last = std::ranges::find_if(backwards, is_input);
    return last == backwards.end() ? nullptr : &*last;
}

Input input_by(const Redirect& redirect, const Survey& survey, size_t command) {
    if (redirect.kind != Redirect::Kind::Read)
        return {.kind = Input::Kind::Text, .text = &redirect.target};
    for (const Piece& piece : redirect.target.pieces) {
        std::vector<const Command*> commands = survey.inside(command, piece);
        std::ranges::reverse(commands);
        if (!commands.empty())
            return {.kind = Input::Kind::Commands, .commands = std::move(commands)};
    }
    return {.kind = Input::Kind::File};
}

// The redirects of a compound command stand behind its commands, as a command without words.
size_t enclosing_input(const Script& script, size_t command) {
    const Command& reader = script.commands[command];
    const size_t end = std::min(script.commands.size(), command + most_looked_at);
    for (size_t i = command + 1; i < end; ++i) {
        const Command& one = script.commands[i];
        if (one.depth < reader.depth) break;
        const bool is_compound = one.carrier == reader.carrier && one.words.empty() &&
                                 one.assignments.empty() && input_among(one.redirects) != nullptr;
        if (is_compound) return i;
    }
    return Command::none;
}

}  // namespace

bool reads_variables(const Command& command) {
    return is_one_of(command.program(), "read mapfile readarray");
}

std::vector<std::string> variables_read(const Command& command) {
    std::vector<std::string> names;
    for (const parse::SetVariable& set : parse::variables_set_by(command))
        if (!set.name.empty()) names.push_back(set.name);
    if (names.empty()) names.emplace_back(command.program() == "read" ? "REPLY" : "MAPFILE");
    return names;
}

Input input_of(const Script& script, const Survey& survey, size_t command) {
    if (const Redirect* own = input_among(script.commands[command].redirects))
        return input_by(*own, survey, command);
    if (const size_t compound = enclosing_input(script, command); compound != Command::none)
        return input_by(*input_among(script.commands[compound].redirects), survey, compound);
    std::vector<const Command*> feeding = survey.feeding(command);
    if (feeding.empty()) return {};
    return {.kind = Input::Kind::Commands, .commands = std::move(feeding)};
}

}  // namespace husk::decide
