// The script in its final order: what commands carry stands behind them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "parse/hidden.h"
#include "parse/script.h"
#include "parse/wrappers.h"

namespace husk::parse {

// What the script and the scripts in its strings share.
struct Budget {
    Hidden hidden = {};
    // How much may be looked at again because commands hand it on.
    size_t words = 50'000;
    size_t code_bytes = 256 << 10;
};

// A script in a string, at this depth of strings in strings.
Script parse_nested(std::string_view text, const Limits& limits, size_t depth, Budget& budget);

// Builds the script anew with each carrier followed by what it carries.
class Arrangement {
public:
    Arrangement(Script& from, const Limits& limits, size_t depth, Budget& budget)
        : from_(from),
          limits_(limits),
          depth_(depth),
          budget_(budget),
          places_(from.commands.size()) {}

    void arrange();

private:
    struct Place {
        size_t begin = 0;
        size_t end = 0;
        std::vector<size_t> children;
        size_t fed_by = Command::none;  // the command before it in a pipe, if that is all there is
    };

    size_t emit(size_t old, size_t carrier, size_t depth);
    void emit_carried(size_t index);
    void emit_words(size_t index, const Carried& carried);
    void emit_code(size_t index, const std::string& code, Range range, Via via);
    void run_string(size_t index, const Carried& carried);
    std::string placeholder_of(size_t index) const;
    struct Input {
        enum class Kind : uint8_t { Inherited, File, Text, Unknown };
        Kind kind = Kind::Inherited;
        Word text = {};
        Range range = {};
    };
    Input standard_input_of(size_t index) const;
    void read_standard_input(size_t index);
    void interpret_standard_input(size_t index);
    void run_process(size_t index);
    void run_variables(size_t index);
    void run_variable(size_t index, const std::string& name, const Word& value);
    void find_feeders();
    bool all_carried_by(const Pipeline::Stage& stage) const;
    void move_ranges();
    void not_understood(const std::string& reason);

    Script& from_;
    const Limits& limits_;
    size_t depth_;
    Budget& budget_;
    Script made_;
    std::vector<Place> places_;
    size_t feeder_ = Command::none;
    bool feeds_a_group_ = false;  // a group of commands reads a text that stands in the script
};

}  // namespace husk::parse
