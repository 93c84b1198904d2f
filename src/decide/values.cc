#include "decide/values.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/expansion.h"
#include "decide/printed.h"
#include "parse/wrappers.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Piece;
using parse::Via;
using parse::Word;

bool is_number(const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

// `sudo${IFS}ls` is two words for bash, whatever IFS is.
std::vector<Word> cut_at_separators(const Word& word) {
    const auto separates = [](const Piece& piece) {
        return piece.kind == Piece::Kind::Variable && !piece.quoted && piece.name == "IFS";
    };
    if (std::ranges::none_of(word.pieces, separates)) return {word};
    std::vector<Word> parts = {{.pieces = {}, .range = word.range}};
    for (const Piece& piece : word.pieces) {
        if (!separates(piece))
            parts.back().pieces.push_back(piece);
        else if (!parts.back().pieces.empty())
            parts.push_back({.pieces = {}, .range = word.range});
    }
    if (parts.back().pieces.empty()) parts.pop_back();
    return parts;
}

// $1 or $@: whoever follows them from call to call may walk in a circle.
bool is_positional(const std::string& name) { return is_number(name) || is_one_of(name, "@ *"); }

bool is_positional(const Piece& piece) {
    return piece.kind == Piece::Kind::Variable && is_positional(piece.name);
}

// The environment gives a value to these, which checks know by their names.
bool is_in_environment(const std::string& name) { return is_one_of(name, "HOME PWD"); }

Word variable_word(const std::string& name) {
    return {.pieces = {{.kind = Piece::Kind::Variable, .text = "$" + name, .name = name}},
            .range = {}};
}

}  // namespace

// With what is known at the command filled in; none when a part is left that is not known.
Values::Found Values::value_at(size_t command, const Word& word, Blanks blanks) const {
    // A long text is no path; filling it in everywhere would cost its length each time.
    constexpr size_t longest = 256;
    Value value;
    for (Word& one : filled_in(command, {.pieces = word.pieces, .range = {}}, blanks)) {
        if (!std::ranges::all_of(one.pieces, can_be_kept) || one.shown().size() > longest)
            return std::nullopt;
        value.words.push_back(std::move(one));
    }
    if (value.words.empty()) value.words.push_back(known_word(""));
    return value;
}

Values::Found Values::assigned(size_t command, const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    const std::vector<Change>& changes = found->second;
    const auto after = std::ranges::upper_bound(changes, command, {}, &Change::from);
    return after == changes.begin() ? std::nullopt : std::prev(after)->value;
}

// Also what it is where the function is called that the command stands in.
Values::Found Values::variable(size_t command, const std::string& name) const {
    if (auto value = assigned(command, name)) return value;
    if (function_of_.empty() || function_of_[command] == nowhere) return std::nullopt;
    const std::vector<size_t>& calls = calls_[function_of_[command]];
    return calls.empty() ? std::nullopt : assigned(calls.front(), name);
}

Values::Found Values::argument_of_calls(size_t function, const std::string& name) const {
    Value value{.words = {}, .list = true};
    const bool all = name == "@" || name == "*";
    const size_t wanted = all ? 0 : std::stoul(name);
    for (const size_t call : calls_[function]) {
        const std::vector<Word>& words = script_.commands[call].words;
        for (size_t i = 1; i < words.size() && value.words.size() < most_words; ++i) {
            if (!all && i != wanted) continue;
            // What a function hands on to another is not followed further.
            if (std::ranges::any_of(words[i].pieces,
                                    [](const Piece& one) { return is_positional(one); }))
                return std::nullopt;
            const Found one = value_at(call, words[i], Blanks::Cut);
            if (!one) return std::nullopt;
            value.words.insert(value.words.end(), one->words.begin(), one->words.end());
        }
    }
    return value.words.empty() ? Found() : std::move(value);
}

// $0, $1 ... in `sh -c CODE zero one`.
Values::Found Values::argument_of_code(size_t command, const std::string& name) const {
    size_t inner = command;
    while (script_.commands[inner].via == Via::Wrapper) inner = script_.commands[inner].carrier;
    const Command& code = script_.commands[inner];
    if (code.via != Via::Code || code.carrier >= script_.commands.size()) return std::nullopt;
    const std::vector<Word>& words = script_.commands[code.carrier].words;
    const std::vector<parse::Carried> carried = parse::carried_by(script_.commands[code.carrier]);
    if (carried.size() != 1) return std::nullopt;
    const size_t zero = carried[0].last;
    Value value{.words = {}, .list = true};
    const bool all = name == "@" || name == "*";
    const size_t first = zero + (all ? 1 : std::stoul(name));
    for (size_t i = first; i < words.size() && value.words.size() < most_words; ++i) {
        if (!words[i].known()) return std::nullopt;
        value.words.push_back(words[i]);
        if (!all) break;
    }
    return value.words.empty() ? Found() : std::move(value);
}

Values::Found Values::argument(size_t command, const std::string& name) const {
    if (name.size() > 2) return std::nullopt;
    const bool in_function = !function_of_.empty() && function_of_[command] != nowhere;
    if (in_function && name != "0") return argument_of_calls(function_of_[command], name);
    if (auto value = argument_of_code(command, name)) return value;
    return assigned(command, name);
}

// $(echo x), where nothing else stands in it.
Values::Found Values::output_of(size_t command, const Piece& piece) const {
    const auto is_all = [&](const Command& one) {
        constexpr size_t brackets = 3;  // at most
        return piece.text.size() <= one.text.size() + brackets &&
               (piece.text == "$(" + one.text + ")" || piece.text == "`" + one.text + "`");
    };
    std::vector<const Command*> commands = survey_.inside(command, piece);
    // `for x in $(echo /)`: they stand before the commands of the loop.
    for (size_t i = command; commands.empty() && i-- > 0 && command - i <= most_words;)
        if (script_.commands[i].via == Via::Substitution && is_all(script_.commands[i]))
            commands = {&script_.commands[i]};
    if (commands.size() != 1 || !is_all(*commands.front())) return std::nullopt;
    auto output = printed(*commands.front());
    while (output && output->ends_with('\n')) output->pop_back();
    return output ? Found({.words = {known_word(*output)}}) : std::nullopt;
}

Values::Found Values::named(size_t command, const std::string& name) const {
    return is_positional(name) ? argument(command, name) : variable(command, name);
}

// ${!name}
Values::Found Values::named_by(size_t command, const std::string& name) const {
    const Found names = named(command, name);
    if (!names) return std::nullopt;
    Value value;
    for (const Word& one : names->words) {
        const std::string target = one.value().value_or("");
        Found found = named(command, target);
        if (!found && is_in_environment(target)) found = Value{.words = {variable_word(target)}};
        if (!found) return std::nullopt;
        add_words(value, *found);
    }
    return value;
}

Values::Found Values::expanded(size_t command, const Piece& piece) const {
    const Expansion expansion = expansion_of(piece);
    if (expansion.part == Expansion::Part::Changed) return std::nullopt;
    if (expansion.part == Expansion::Part::Named) return named_by(command, piece.name);
    Found value = named(command, piece.name);
    if (expansion.part == Expansion::Part::Element) {
        if (!value || !value->list || expansion.element >= value->words.size()) return std::nullopt;
        return Value{{value->words[expansion.element]}, true};
    }
    const bool is_empty = value && value->words.size() == 1 && value->words.front().is("");
    const bool takes_other = expansion.part == Expansion::Part::Alternative ||
                             (expansion.part == Expansion::Part::Default && (!value || is_empty));
    if (!takes_other) return value;
    const std::vector<Piece>& otherwise = expansion.otherwise.pieces;
    const bool is_known =
        !otherwise.empty() &&
        std::ranges::none_of(otherwise, [](const Piece& one) { return is_positional(one); });
    Found other = is_known ? value_at(command, expansion.otherwise, Blanks::Keep) : std::nullopt;
    const bool may_be_set = expansion.part == Expansion::Part::Default && !value;
    if (!may_be_set || !is_in_environment(piece.name)) return other;
    // ${HOME:-x} is the home wherever there is one.
    Value both{.words = {variable_word(piece.name)}};
    if (other) add_words(both, *other);
    return both;
}

Values::Found Values::value_of(size_t command, const Piece& piece) const {
    if (piece.kind == Piece::Kind::Substitution) return output_of(command, piece);
    return piece.kind == Piece::Kind::Variable ? expanded(command, piece) : std::nullopt;
}

std::vector<Word> Values::filled_in(size_t command, Word word, Blanks blanks) const {
    if (word.known()) return {std::move(word)};
    // An empty pair of quotes says nothing to a check.
    std::erase_if(word.pieces, [](const Piece& piece) { return piece.text.empty(); });
    // `x="-rf /"; rm $x` is two words more.
    const bool splits =
        blanks == Blanks::Cut && word.pieces.size() == 1 && !word.pieces.front().quoted;
    std::vector<Word> words = {{.pieces = {}, .range = word.range}};
    for (const Piece& piece : word.pieces) {
        std::vector<std::vector<Piece>> values;
        const Found found = value_of(command, piece);
        if (found) {
            for (const Word& value : found->words)
                values.push_back(used_as(value, piece.quoted, found->list));
        }
        if (!found) values.push_back({piece});
        words = combined(words, values);
        if (!found || !splits) continue;
        std::vector<Word> cut;
        for (const Word& one : words)
            std::ranges::move(cut_at_blanks(one), std::back_inserter(cut));
        words = std::move(cut);
    }
    return words;
}

Command Values::filled_in(size_t index) const {
    Command command = script_.commands[index];
    command.words.clear();
    for (const Word& word : script_.commands[index].words) {
        for (Word& part : cut_at_separators(word)) {
            std::vector<Word> filled = filled_in(index, std::move(part), Blanks::Cut);
            std::ranges::move(filled, std::back_inserter(command.words));
        }
    }
    // bash opens no file whose name would be several words.
    for (parse::Redirect& redirect : command.redirects) {
        using enum parse::Redirect::Kind;
        if (redirect.kind > ReadWrite) continue;  // no file
        std::vector<Word> filled = filled_in(index, redirect.target, Blanks::Keep);
        if (filled.size() == 1) redirect.target = std::move(filled.front());
    }
    return command;
}

}  // namespace husk::decide
