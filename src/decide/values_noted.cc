// Where the script gives values to its variables.
#include <algorithm>
#include <span>
#include <utility>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/expansion.h"
#include "decide/input.h"
#include "decide/printed.h"
#include "decide/values.h"
#include "parse/variables.h"

namespace husk::decide {
namespace {

using parse::Assignment;
using parse::Command;
using parse::Piece;
using parse::Script;
using parse::Word;

constexpr size_t most_calls = 16;

// Of many names only a few are worth a look; what is more than a name always is.
bool is_plain_name(const Word& word) {
    return word.known() && word.shown().find_first_of("/~.*-") == std::string::npos;
}

bool is_separator(const Piece& piece) {
    return piece.kind == Piece::Kind::Text && !piece.quoted && piece.text == " ";
}

// The elements of x=(a b).
std::vector<Word> elements_of(const Word& array) {
    std::vector<Word> elements(1);
    for (const Piece& piece : array.pieces) {
        if (is_separator(piece))
            elements.emplace_back();
        else
            elements.back().pieces.push_back(piece);
    }
    return elements;
}

std::vector<Word> words_of(const Word& line) {
    return line.known() ? cut_at_blanks(line) : std::vector{line};
}

// Of `read a b`, a gets the first word of a line, and b the rest.
std::optional<Word> share_of(const Word& line, size_t place, size_t variables) {
    const std::vector<Word> words = words_of(line);
    if (place >= words.size()) return std::nullopt;
    const size_t end = place + 1 == variables ? words.size() : place + 1;
    if (end == place + 1) return words[place];
    std::string rest = words[place].shown();
    for (size_t i = place + 1; i < end; ++i) rest += " " + words[i].shown();
    return known_word(std::move(rest));
}

// printf -v x
bool sets_by_printf(const Command& command) {
    return command.program() == "printf" && command.words.size() > 1 &&
           command.words[1].known_start().starts_with("-v");
}

}  // namespace

Values::Values(const Script& script, const Survey& survey) : script_(script), survey_(survey) {
    note_functions();
    std::vector<const parse::Loop*> loops;
    for (const parse::Loop& loop : script.loops) loops.push_back(&loop);
    std::ranges::sort(loops, {}, [](const parse::Loop* loop) { return loop->first; });
    // In the order of the script: a value may be made of those before it.
    auto loop = loops.begin();
    for (size_t i = 0; i < script.commands.size(); ++i) {
        for (; loop != loops.end() && (*loop)->first <= i; ++loop) note_loop(**loop);
        note_command(i);
    }
}

void Values::note_functions() {
    const std::vector<parse::Function>& functions = script_.functions;
    if (functions.empty()) return;
    function_of_.assign(script_.commands.size(), nowhere);
    calls_.resize(functions.size());
    std::map<std::string, std::vector<size_t>, std::less<>> named;
    std::vector<size_t> order;
    for (size_t i = 0; i < functions.size(); ++i) {
        named[functions[i].name].push_back(i);
        order.push_back(i);
    }
    // The innermost function has the last word.
    std::ranges::sort(order, {}, [&](size_t i) {
        return std::pair(functions[i].first, script_.commands.size() - functions[i].last);
    });
    for (const size_t i : order)
        for (size_t k = functions[i].first; k < functions[i].last; ++k) function_of_[k] = i;
    for (size_t i = 0; i < script_.commands.size(); ++i) {
        const auto called = named.find(script_.commands[i].program());
        if (called == named.end()) continue;
        for (const size_t function : called->second)
            if (calls_[function].size() < most_calls && function_of_[i] != function)
                calls_[function].push_back(i);
    }
}

void Values::note(size_t from, const std::string& name, Found value) {
    values_[name].push_back({.from = from, .value = std::move(value)});
}

// Of many words those that are more than a name, and a few of the others.
Values::Found Values::each_of(size_t command, std::span<const Word> words) const {
    constexpr size_t most_plain = 8;
    const bool many = words.size() > most_words;
    Value list{.words = {}, .list = true};
    size_t plain = 0;
    for (const Word& word : words) {
        if (many && is_plain_name(word) && ++plain > most_plain) continue;
        const Found value = value_at(command, word, Blanks::Cut);
        if (!value) return std::nullopt;
        add_words(list, *value);
    }
    return list;
}

void Values::add_words(Value& list, const Value& more) {
    for (const Word& word : more.words) {
        if (list.words.size() < most_words) list.words.push_back(word);
    }
}

// x+=y, x+=(y)
Values::Found Values::appended(const Found& before, const Found& more) {
    if (!before || !more) return std::nullopt;
    Value value = *before;
    if (more->list) {
        add_words(value, *more);
        return value;
    }
    const bool simple = before->words.size() == 1 && more->words.size() == 1;
    if (!simple || before->words.front().pieces.size() > most_words) return std::nullopt;
    value.words = combined(before->words, {more->words.front().pieces});
    return value;
}

void Values::note_command(size_t index) {
    const Command& command = script_.commands[index];
    const std::string program = command.program();
    if (is_one_of(program, "export declare local readonly typeset")) return note_declaration(index);
    if (program == "set") return note_parameters(index);
    if (reads_variables(command)) return note_read(index);
    if (sets_by_printf(command)) {
        const auto text = printed(command);
        for (const parse::SetVariable& set : parse::variables_set_by(command))
            note(index + 1, set.name, text ? Found({.words = {known_word(*text)}}) : std::nullopt);
        return;
    }
    if (program == "unset") {
        for (const Word& word : arguments_of(command)) note(index + 1, word.shown(), std::nullopt);
        return;
    }
    if (!command.words.empty()) return;  // `x=1 program` is for the program alone
    for (const Assignment& assignment : command.assignments) {
        Found value = assignment.array ? each_of(index, elements_of(assignment.value))
                                       : value_at(index, assignment.value, Blanks::Keep);
        if (assignment.appends) value = appended(assigned(index, assignment.name), value);
        note(index + 1, assignment.name, std::move(value));
    }
}

void Values::note_declaration(size_t index) {
    for (const Word& word : arguments_of(script_.commands[index])) {
        const std::string start = word.known_start();
        const size_t equals = start.find('=');
        if (equals == std::string::npos) continue;
        const Word value = without_start(word, equals + 1);
        const bool array = std::ranges::any_of(value.pieces, is_separator);
        note(index + 1, start.substr(0, equals),
             array ? each_of(index, elements_of(value)) : value_at(index, value, Blanks::Keep));
    }
}

// set -- a b
void Values::note_parameters(size_t index) {
    const auto words = arguments_of(script_.commands[index]);
    const auto dashes = std::ranges::find_if(words, [](const Word& word) { return word.is("--"); });
    if (dashes == words.end()) return;
    const Found all =
        each_of(index, words.subspan(static_cast<size_t>(dashes - words.begin()) + 1));
    for (size_t i = 0; all && i < all->words.size(); ++i)
        note(index + 1, std::to_string(i + 1), Value{{all->words[i]}, true});
    note(index + 1, "@", all);
    note(index + 1, "*", all);
}

// A word for each line that the command can get.
Values::Found Values::lines_read(size_t index) const {
    const Input input = input_of(script_, survey_, index);
    std::optional<std::string> text;
    if (input.kind == Input::Kind::Commands && input.commands.size() == 1)
        text = printed(*input.commands.front());
    if (input.kind == Input::Kind::Text) text = input.text->value();
    if (input.kind == Input::Kind::Text && !text) return value_at(index, *input.text, Blanks::Keep);
    constexpr size_t longest = 4096;
    if (!text || text->size() > longest) return std::nullopt;
    std::vector<Word> lines;
    for (std::string_view rest = *text; !rest.empty();) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        if (end > 0) lines.push_back(known_word(std::string(rest.substr(0, end))));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return each_of(index, lines);
}

// `read x`, `mapfile x`
void Values::note_read(size_t index) {
    const Command& command = script_.commands[index];
    const bool takes_lines = command.program() != "read";
    const bool is_array =
        takes_lines || std::ranges::any_of(arguments_of(command), [](const Word& word) {
            const std::string text = word.known_start();
            return text.starts_with('-') && text.ends_with('a');
        });
    const Found lines = lines_read(index);
    const std::vector<std::string> names = variables_read(command);
    for (size_t place = 0; place < names.size(); ++place) {
        Value value{.words = {}, .list = is_array};
        const bool is_looked_at = lines && place < most_words;
        for (const Word& line : is_looked_at ? lines->words : std::vector<Word>()) {
            if (takes_lines)
                add_words(value, {.words = {line}});
            else if (is_array)
                add_words(value, {.words = words_of(line)});
            else if (const auto share = share_of(line, place, names.size()))
                add_words(value, {.words = {*share}});
        }
        note(index + 1, names[place], value.words.empty() ? std::nullopt : Found(std::move(value)));
    }
}

void Values::note_loop(const parse::Loop& loop) {
    Found value = each_of(loop.first, loop.words);
    if (value && value->words.empty()) value.reset();
    note(loop.first, loop.name, std::move(value));
}

}  // namespace husk::decide
