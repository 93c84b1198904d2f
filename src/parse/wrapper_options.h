// How the options of programs are read that run another program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parse/script.h"

namespace husk::parse {

// How the options of a program are read, up to the command that it runs.
struct Wrapper {
    std::string_view program;
    std::string_view with_value;       // letters of short options that take a value
    std::string_view long_with_value;  // names of long ones, each between spaces
    size_t operands = 0;               // words before the command
    bool assignments = false;          // x=1 before the command
    bool more_words = false;
    std::string_view ends = {};  // letters of options that make it run nothing
    bool transparent = false;    // changes only how the other is run
    // The value of a long option is in the same word, so that none takes the next.
    bool only_equals = false;
};

// How an option is read: whether the next word is its value.
enum class Option : uint8_t {
    None,
    Alone,
    WithNext,
    Unsure,  // a long option that is not in the tables
    Ends,    // nothing is run
};

Option read_option(const std::string& text, const Wrapper& wrapper);

// Where the command may begin that a wrapper runs: more than one place if an option is not known.
// The first place is the one where such options have no value. Empty if it runs nothing that is
// written.
struct InnerStarts {
    std::vector<size_t> places = {};
    bool certain = true;
};
InnerStarts inner_starts(const std::vector<Word>& words, const Wrapper& wrapper);

// The first of these places.
std::optional<size_t> inner_start(const std::vector<Word>& words, const Wrapper& wrapper);

// Those whose options are all there is to know.
const Wrapper* wrapper_named(const std::string& program);

}  // namespace husk::parse
