#include "decide/values.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "decide/arguments.h"
#include "decide/names.h"

namespace husk::decide {
namespace {

using parse::Assignment;
using parse::Command;
using parse::Piece;
using parse::Range;
using parse::Script;
using parse::Via;
using parse::Word;

// What echo and printf print of known words, as far as that is their words.
std::optional<std::string> printed(const Command& command) {
    const std::string program = command.program();
    if (program != "echo" && program != "printf") return std::nullopt;
    std::string out;
    for (size_t i = 1; i < command.words.size(); ++i) {
        const auto word = command.words[i].value();
        if (!word || word->contains('\\') || word->contains('%')) return std::nullopt;
        if (i == 1 && program == "echo" && word->starts_with("-")) continue;
        if (!out.empty()) out += ' ';
        out += *word;
    }
    return out;
}

Piece known(std::string text) {
    return {.kind = Piece::Kind::Text, .text = std::move(text), .quoted = true};
}

std::vector<Word> split_at_blanks(const std::string& text, Range range) {
    std::vector<Word> words;
    std::istringstream stream(text);
    for (std::string word; stream >> word;)
        words.push_back({.pieces = {known(word)}, .range = range});
    return words;
}

bool is_number(const std::string& name) {
    return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

Values::Values(const Script& script, const Survey& survey) : script_(script), survey_(survey) {
    for (size_t i = 0; i < script.commands.size(); ++i) note_assignments(i);
}

void Values::note_assignments(size_t index) {
    const Command& command = script_.commands[index];
    if (command.words.empty()) {  // `x=1 program` is for the program alone
        for (const Assignment& assignment : command.assignments)
            note_value(index, assignment.name, assignment.value.value());
    } else if (is_one_of(command.program(), "export declare local readonly typeset")) {
        for (const Word& word : arguments_of(command)) {
            const std::string start = word.known_start();
            const size_t equals = start.find('=');
            if (equals != std::string::npos)
                note_value(index, start.substr(0, equals), without_start(word, equals + 1).value());
        }
    }
}

void Values::note_value(size_t index, const std::string& name, std::optional<std::string> text) {
    // A long text is no path; filling it in everywhere would cost its length each time.
    constexpr size_t longest = 256;
    if (text && text->size() > longest) text.reset();
    values_[name].push_back({.from = index, .text = std::move(text)});
}

std::optional<std::string> Values::assigned_before(size_t command, const std::string& name) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    const std::vector<Value>& values = found->second;
    const auto after = std::ranges::lower_bound(values, command, {}, &Value::from);
    return after == values.begin() ? std::nullopt : std::prev(after)->text;
}

// $0, $1 ... in `sh -c CODE zero one`.
std::optional<std::string> Values::argument_of_code(size_t command, const std::string& name) const {
    size_t inner = command;
    while (script_.commands[inner].via == Via::Wrapper) inner = script_.commands[inner].carrier;
    const Command& code = script_.commands[inner];
    if (code.via != Via::Code || code.carrier >= script_.commands.size() || name.size() > 2)
        return std::nullopt;
    const std::vector<Word>& words = script_.commands[code.carrier].words;
    const auto text = std::ranges::find(words, code.range, &Word::range);
    const size_t wanted = static_cast<size_t>(text - words.begin()) + 1 + std::stoul(name);
    return wanted < words.size() ? words[wanted].value() : std::nullopt;
}

// $(echo x), where nothing else stands in it.
std::optional<std::string> Values::output_of(size_t command, const Piece& piece) const {
    const std::vector<const Command*> commands = survey_.inside(command, piece);
    if (commands.size() != 1) return std::nullopt;
    const std::string& text = commands.front()->text;
    if (piece.text != "$(" + text + ")" && piece.text != "`" + text + "`") return std::nullopt;
    return printed(*commands.front());
}

std::optional<std::string> Values::value_of(size_t command, const Piece& piece) const {
    if (piece.kind == Piece::Kind::Substitution) return output_of(command, piece);
    if (piece.kind != Piece::Kind::Variable) return std::nullopt;
    // ${x%/*} and its like are more than the value.
    if (piece.text != "$" + piece.name && piece.text != "${" + piece.name + "}")
        return std::nullopt;
    return is_number(piece.name) ? argument_of_code(command, piece.name)
                                 : assigned_before(command, piece.name);
}

std::vector<Word> Values::filled_in(size_t command, Word word) const {
    // An empty pair of quotes says nothing to a check.
    if (!word.known())
        std::erase_if(word.pieces, [](const Piece& piece) { return piece.text.empty(); });
    // `x="-rf /"; rm $x` is two words more.
    if (word.pieces.size() == 1 && !word.pieces.front().quoted) {
        if (const auto value = value_of(command, word.pieces.front()))
            return split_at_blanks(*value, word.range);
    }
    for (Piece& piece : word.pieces) {
        if (const auto value = value_of(command, piece)) piece = known(*value);
    }
    return {std::move(word)};
}

Command Values::filled_in(size_t index) const {
    Command command = script_.commands[index];
    command.words.clear();
    for (const Word& word : script_.commands[index].words) {
        const std::vector<Word> filled = filled_in(index, word);
        command.words.insert(command.words.end(), filled.begin(), filled.end());
    }
    return command;
}

}  // namespace husk::decide
