// A variable in a word, taken apart: ${x:-y}, ${a[@]}; and what its value becomes where it stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parse/script.h"

namespace husk::decide {

constexpr size_t most_words = 32;  // that one word of a command can become

struct Expansion {
    enum class Part : uint8_t {
        Value,        // $x ${x} ${x:?} and the elements of ${x[@]}
        Element,      // ${x[1]}
        Default,      // ${x:-y} ${x:=y}
        Alternative,  // ${x:+y}
        Named,        // ${!x}: the value of the variable whose name is the value
        Changed,      // ${x%y} ${#x} and all that is not the value
    };
    Part part = Part::Value;
    size_t element = 0;          // of Element
    parse::Word otherwise = {};  // of Default and Alternative: y
};

Expansion expansion_of(const parse::Piece& variable);

// A variable of the script keeps it as it is written here: text, ~, $HOME, a glob.
bool can_be_kept(const parse::Piece& piece);

// The pieces of a value as they stand in a word that uses it. A glob that was only text so far is
// one where it is not quoted, and the other way round.
std::vector<parse::Piece> used_as(const parse::Word& value, bool quoted, bool is_list);

// $x alone in a word: cut at blanks.
std::vector<parse::Word> cut_at_blanks(const parse::Word& word);

// Each beginning with each of these ends behind it, as far as they are not too many.
std::vector<parse::Word> combined(const std::vector<parse::Word>& beginnings,
                                  const std::vector<std::vector<parse::Piece>>& ends);

parse::Word known_word(std::string text);

}  // namespace husk::decide
