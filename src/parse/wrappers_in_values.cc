// Commands that stand in the value of an option, or in an operand: tar --to-command=x.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/names.h"
#include "parse/carriers.h"
#include "parse/carrying_table.h"
#include "parse/letters.h"
#include "parse/subcommands.h"

namespace husk::parse {
namespace {

constexpr size_t shortest_abbreviation = 3;  // --x

// Calls `use` with each entry of a list.
template <typename Use>
void for_each(std::string_view list, Use use) {
    while (!list.empty()) {
        const size_t end = std::min(list.find(' '), list.size());
        use(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
}

// Where the value of an option stands: in which word, and behind how many of its letters.
struct Value {
    size_t word = 0;
    size_t skip = 0;
};

std::optional<Value> next_word(const std::vector<Word>& words, size_t i) {
    return i + 1 < words.size() ? std::optional(Value{i + 1, 0}) : std::nullopt;
}

// --name=value, --name value, and the beginning of a name.
std::optional<Value> value_of_long(const std::vector<Word>& words, size_t i,
                                   std::string_view option, bool takes_next) {
    const std::string text = words[i].known_start();
    const size_t equals = text.find('=');
    const std::string_view name = std::string_view(text).substr(0, equals);
    const bool is_abbreviated = option.starts_with("--") && option.starts_with(name) &&
                                name.size() >= shortest_abbreviation;
    // zip -TT'x' and -qTT x
    const size_t tester = option == "-TT" && text.starts_with('-') && !text.starts_with("--")
                              ? text.find("TT")
                              : std::string::npos;
    const bool in_cluster = tester != std::string::npos;
    if (in_cluster && tester + 2 < text.size()) return Value{i, tester + 2};
    if (name != option && !is_abbreviated && !in_cluster) return std::nullopt;
    if (equals != std::string::npos) return Value{i, equals + 1};
    return takes_next ? next_word(words, i) : std::nullopt;
}

// -xvalue, -x value, and -x at the end of a cluster.
std::optional<Value> value_of_letter(const std::vector<Word>& words, size_t i, char option,
                                     const std::string& with_value, bool takes_next) {
    const std::string text = words[i].known_start();
    if (text.size() < 2 || text[0] != '-' || text[1] == '-') return std::nullopt;
    const size_t at = text.find_first_of(with_value, 1);
    if (at == std::string::npos || text[at] != option) return std::nullopt;
    if (at + 1 < text.size() || !words[i].known()) return Value{i, at + 1};
    return takes_next ? next_word(words, i) : std::nullopt;
}

// Letters of all short options with a value.
std::string letters_with_value(const Carrying& row) {
    std::string letters(row.with_value);
    for_each(row.options, [&](std::string_view option) {
        if (option.starts_with('-') &&
            (option.size() == 2 || (option.size() == 3 && option[2] == '=')))
            letters += option[1];
    });
    return letters;
}

std::optional<Value> value_of(const std::vector<Word>& words, size_t i, std::string_view option,
                              const std::string& with_value) {
    if (option == "*") return Value{i, 0};
    const bool takes_next = !option.ends_with('=');
    if (!takes_next) option.remove_suffix(1);
    return option.size() > 2 ? value_of_long(words, i, option, takes_next)
                             : value_of_letter(words, i, option[1], with_value, takes_next);
}

// How many letters of the text stand in front of the command in it; none if it holds no command.
std::optional<size_t> start_of_command(std::string_view text, std::string_view starts) {
    if (starts.empty()) return 0;
    const std::string lower = lowered(text);
    std::optional<size_t> found;
    for_each(starts, [&](std::string_view start) {
        if (found || !lower.starts_with(start)) return;
        // A path is the command itself.
        const size_t end = start == "/" ? 0 : lower.find_first_not_of("= \t", start.size());
        found = std::min(end, lower.size());
    });
    return found;
}

void add_value(const std::vector<Word>& words, const Value& value, const Carrying& row,
               std::vector<Carried>& carried) {
    const std::string text = words[value.word].known_start();
    const size_t skip = std::min(value.skip, text.size());
    const auto start = start_of_command(std::string_view(text).substr(skip), row.starts);
    if (start) carried.push_back({row.kind, value.word, value.word + 1, false, skip + *start});
}

// tar cfI x.tar program: the values of letters without a dash follow in their order.
void add_old_style(const std::vector<Word>& words, const Carrying& row,
                   std::vector<Carried>& carried) {
    const std::string letters = words[1].known_start();
    if (letters.starts_with('-')) return;
    size_t value = 2;
    for (const char letter : letters) {
        const char option[] = {'-', letter};
        const bool carries = is_one_of(std::string_view(option, sizeof option), row.options);
        if (!carries && !row.with_value.contains(letter)) continue;
        if (carries && value < words.size()) add_value(words, {value, 0}, row, carried);
        ++value;
    }
}

// The names under which the table knows a command.
struct Names {
    std::string program;
    std::string subcommand;  // git-rebase
};

Names names_of(const std::string& program, const std::vector<Word>& words) {
    if (program.starts_with("git-")) return {"git", program};
    if (program != "git") return {program, ""};
    const size_t at = subcommand_position(words, *subcommands_of("git"));
    return {program, at < words.size() ? "git-" + words[at].known_start() : ""};
}

}  // namespace

void add_options(const std::string& program, const std::vector<Word>& words,
                 std::vector<Carried>& carried) {
    const Names names = names_of(program, words);
    for (const Carrying& row : carrying_table) {
        if (!is_one_of(names.program, row.programs) && !is_one_of(names.subcommand, row.programs))
            continue;
        if (names.program == "tar" && !row.with_value.empty()) add_old_style(words, row, carried);
        const std::string with_value = letters_with_value(row);
        bool options = true;
        for (size_t i = 1; i < words.size(); ++i) {
            options = options && !words[i].is("--");
            for_each(row.options, [&](std::string_view option) {
                if (!options && option != "*") return;
                if (const auto value = value_of(words, i, option, with_value))
                    add_value(words, *value, row, carried);
            });
        }
    }
}

}  // namespace husk::parse
