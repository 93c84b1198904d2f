// What can be told of a command's unknown parts from the rest of the script.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
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
    // `rm -rf $(echo /)` and `sh -c 'rm -rf $0' /` all remove the root. A guess, because an
    // assignment may stand in a branch that is not taken: no rule may allow anything by it.
    parse::Command filled_in(size_t index) const;

private:
    // The value from this command on; none when it is not known.
    struct Value {
        size_t from;
        std::optional<std::string> text;
    };

    void note_assignments(size_t index);
    void note_value(size_t index, const std::string& name, std::optional<std::string> text);
    std::optional<std::string> assigned_before(size_t command, const std::string& name) const;
    std::optional<std::string> argument_of_code(size_t command, const std::string& name) const;
    std::optional<std::string> output_of(size_t command, const parse::Piece& piece) const;
    std::optional<std::string> value_of(size_t command, const parse::Piece& piece) const;
    std::vector<parse::Word> filled_in(size_t command, parse::Word word) const;

    const parse::Script& script_;
    const Survey& survey_;
    std::map<std::string, std::vector<Value>, std::less<>> values_;
};

}  // namespace husk::decide
