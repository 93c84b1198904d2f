// UTF-8 as it comes out of programs: mostly valid, sometimes torn, sometimes not text at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace husk::text {

inline constexpr char32_t replacement = 0xFFFD;

// The first character of a text. What is not valid is one character too: `bytes` is the
// longest beginning of a valid one (at least one byte), `code` is the replacement character.
struct Rune {
    enum class Form {
        Whole,
        Invalid,
        Torn,  // the text ended before the character did
    };
    char32_t code;
    size_t bytes;
    Form form;
};
Rune first_rune(std::string_view text);  // of a text that is not empty

void append_utf8(std::string& text, char32_t code);

bool is_utf8(std::string_view text);

// The text with U+FFFD in place of whatever is not valid. NUL bytes stay.
std::string to_utf8(std::string_view text);

// At most `max` bytes from the beginning or the end, without splitting a character.
std::string_view whole_prefix(std::string_view text, size_t max);
std::string_view whole_suffix(std::string_view text, size_t max);

// For a text that was cut somewhere: without the character that the cut went through.
std::string_view without_torn_end(std::string_view text);
std::string_view without_torn_start(std::string_view text);

}  // namespace husk::text
