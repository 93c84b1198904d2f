// Programs whose first operand says what they do, with options in front of it: `git -C x push`,
// `docker compose -f y up`, `cargo +nightly run`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "parse/script.h"

namespace husk::parse {

// The options that may stand in front of a subcommand. The lists are separated by spaces.
struct Subcommands {
    std::string_view program;     // "git", or a program and its group: "docker compose"
    std::string_view with_value;  // options whose value is the next word
    std::string_view alone;       // options whose value, if they have one, is in the same word
    size_t names = 1;             // how many operands name an action: 2 for `gh pr merge`
    char also = '\0';             // words that count as options: '+' for +x, '=' for x=1
    // -name is one option, which may be abbreviated, and not the options n, a, m and e.
    bool has_words_with_one_dash = false;
};

// The entry of a program such as git, pip3.11 or "docker compose"; null if it has none.
const Subcommands* subcommands_of(std::string_view program);

enum class Leading : uint8_t {
    Operand,   // no option
    Alone,     // an option; the next word is not its value
    WithNext,  // an option; the next word is its value
    Unsure,    // an option that the table does not list
};
Leading leading_option(const Word& word, const Subcommands& table);

// The position of the first operand; the number of words if there is none. An option that the
// table does not list counts as one without a value.
size_t subcommand_position(const std::vector<Word>& words, const Subcommands& table);

// A way to read a command without the options in front of its subcommand: `git -C x push -f` is
// also `git push -f`.
struct Reading {
    std::vector<Word> names;  // the program and its subcommands; all words from `rest` on follow
    size_t rest = 0;
    bool certain = true;  // false if it depends on whether an unlisted option takes a value
};

// Every way to read the command other than as it is written; empty for most commands. Also
// resolves `python -m pip` and `pip3` to `pip`, and `git-push` to `git push`. Of a program without
// an entry, any option in front of the first operand may or may not take the next word.
std::vector<Reading> readings_of(const Command& command);

}  // namespace husk::parse
