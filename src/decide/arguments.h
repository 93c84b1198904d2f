// A program's arguments, told apart the way getopt_long does it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parse/script.h"

namespace husk::decide {

struct Option {
    std::string name = {};                  // "f" of -xvf, "force" of --force and --force=x
    std::optional<parse::Word> value = {};  // of those that take one
    bool is_long = false;
};

struct Arguments {
    std::vector<Option> options = {};
    std::vector<parse::Word> operands = {};
    bool may_have_more = false;  // a word that is not known may hold options

    // A letter, or a name of several: for names also every beginning of at least `shortest`
    // letters, as getopt_long allows.
    bool has(std::string_view name, size_t shortest = std::string_view::npos) const;
    // Of the last one.
    const parse::Word* value_of(std::string_view name) const;
    std::vector<parse::Word> values_of(std::string_view name) const;
};

// The options that take a value, which may be the next word: letters and long names.
struct ValueOptions {
    std::string_view letters;
    std::span<const std::string_view> names = {};
};

Arguments read_arguments(std::span<const parse::Word> words, const ValueOptions& with_value = {});

// The word without its first `count` bytes, which are known text.
parse::Word without_start(const parse::Word& word, size_t count);

// All words but the program.
std::span<const parse::Word> arguments_of(const parse::Command& command);

}  // namespace husk::decide
