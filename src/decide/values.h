// What can be told of a command's unknown parts from the rest of the script.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decide/survey.h"
#include "parse/script.h"

namespace husk::decide {

// Points into the script and the survey, which must outlive it.
class Values {
public:
    Values(const parse::Script& script, const Survey& survey);

    // The command with every part filled in whose value the script itself gives: `x=/; rm -rf $x`,
    // `rm -rf $(echo /)` and `sh -c 'rm -rf $0' /` all remove the root. Where there are several
    // values, as in a loop, there is a word for each. A guess, because an assignment may stand in
    // a branch that is not taken: no rule may allow anything by it.
    parse::Command filled_in(size_t index) const;

private:
    // What a variable may be: each of these words. None: nobody knows.
    struct Value {
        std::vector<parse::Word> words = {};
        bool list = false;  // the words of a loop or an array, which bash has expanded before
    };
    // From this command on.
    struct Change {
        size_t from;
        std::optional<Value> value;
    };
    using Found = std::optional<Value>;
    static constexpr size_t nowhere = static_cast<size_t>(-1);

    void note_functions();
    void note_command(size_t index);
    void note_declaration(size_t index);
    void note_parameters(size_t index);
    void note_read(size_t index);
    Found lines_read(size_t index) const;
    void note_loop(const parse::Loop& loop);
    void note(size_t from, const std::string& name, Found value);
    enum class Blanks : uint8_t { Cut, Keep };  // x=$y keeps those in y
    Found value_at(size_t command, const parse::Word& word, Blanks blanks) const;
    Found each_of(size_t command, std::span<const parse::Word> words) const;
    static void add_words(Value& list, const Value& more);
    static Found appended(const Found& before, const Found& more);

    Found variable(size_t command, const std::string& name) const;
    Found assigned(size_t command, const std::string& name) const;
    Found argument(size_t command, const std::string& name) const;
    Found argument_of_calls(size_t function, const std::string& name) const;
    Found argument_of_code(size_t command, const std::string& name) const;
    Found output_of(size_t command, const parse::Piece& piece) const;
    Found named(size_t command, const std::string& name) const;
    Found named_by(size_t command, const std::string& name) const;
    Found expanded(size_t command, const parse::Piece& piece) const;
    Found value_of(size_t command, const parse::Piece& piece) const;
    std::vector<parse::Word> filled_in(size_t command, parse::Word word, Blanks blanks) const;

    const parse::Script& script_;
    const Survey& survey_;
    std::map<std::string, std::vector<Change>, std::less<>> values_;
    std::vector<size_t> function_of_;         // of each command; empty when there are no functions
    std::vector<std::vector<size_t>> calls_;  // of each function
};

}  // namespace husk::decide
