// A script as a row of tokens, each with its place in the text: for people who want to see how a
// command was read.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "parse/script.h"

namespace husk::parse {

struct Token {
    enum class Kind : uint8_t {
        Word,        // with all its quotes and substitutions
        Assignment,  // x=1, x=(a b)
        Operator,    // && | ; > ( and the like; of a redirection with its descriptor: 2>
        Keyword,     // if, then, {, !
        Arithmetic,  // ((x))
        Document,    // the body of a here-document, with the line that ends it
    };
    Kind kind = Kind::Word;
    Range range;     // in the text
    Word word = {};  // of a Word: what bash makes of it, before braces are expanded
};

// In their order. Between two of them there are only blanks, newlines and comments. Up to the
// place where the text cannot be read.
std::vector<Token> tokens(std::string_view text, const Limits& limits = {});

}  // namespace husk::parse
