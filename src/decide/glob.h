// Patterns with stars, and texts of which parts are not known before running. Both are chains
// of letters: a byte stands for itself, and what is above a byte stands for many texts.
#pragma once

#include <string>
#include <string_view>

#include "parse/script.h"

namespace husk::decide {

using Letters = std::u16string;

constexpr char16_t any_text = 0x100;        // any text, also none
constexpr char16_t any_segment = 0x101;     // the same without a slash
constexpr char16_t any_letter = 0x102;      // one, but no slash
constexpr char16_t space_or_colon = 0x103;  // in patterns
constexpr char16_t maybe_space = 0x104;     // it and the any_text behind it: both, or nothing

Letters letters(std::string_view text);
Letters letters(const parse::Word& word);  // every unknown part is any_text

// Text in which each * is any text.
Letters starred(std::string_view pattern);

// Whatever the unknown parts of the text turn out to be, the pattern matches.
bool covers(const Letters& pattern, const Letters& text);
// They may turn out so that the pattern matches.
bool meets(const Letters& pattern, const Letters& text);

// Stands for the words that xargs and the like add to those in the script.
bool is_added_later(const parse::Word& word);

// An unknown part is more than text between quotes: it can become several words, or none.
bool may_be_many_words(const parse::Word& word);

}  // namespace husk::decide
