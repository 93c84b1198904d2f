// What a pattern is compared with, and how that can end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "decide/command_text.h"
#include "decide/context.h"
#include "parse/script.h"

namespace husk::decide {

enum class Match : uint8_t { No, Maybe, Yes };

// An argument, or one of the halves of --option=value and -ovalue.
struct Token {
    Text text;
    Text shown;
    size_t next = 0;    // the token that follows it
    bool many = false;  // may be several words
    size_t word = 0;    // the word of the command that it is in
};

// Where an argument is also seen as two.
enum class Cuts : uint8_t {
    AtEquals,   // --option=value
    AtLetters,  // and -ovalue
};

// A command, as rules see it.
class Subject {
public:
    Subject(const parse::Script& of_script, size_t at, const Context& of_context,
            const Context& moved);

    const parse::Script& script;
    size_t index;  // in script.commands
    const parse::Command& command;
    const Context& context;  // of the script
    const Context& here;     // after each `cd` in front of the command
    CommandText text;
    std::vector<CommandText> readings;  // without the options in front of a subcommand

    // Both are made when the first rule asks for them, and kept for the others.
    const std::vector<Token>& tokens(Cuts cuts) const;
    // For each file that the command writes, the paths that may be meant: as if there were no
    // `cd` in front of the command, and behind it.
    const std::vector<std::vector<Text>>& written() const;

private:
    mutable std::optional<std::vector<Token>> tokens_[2];
    mutable std::optional<std::vector<std::vector<Text>>> written_;
};

// The tokens of these words.
std::vector<Token> tokens_of(std::span<const parse::Word> words, const std::string& placeholder,
                             Cuts cuts);

}  // namespace husk::decide
