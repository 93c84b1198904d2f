// Words and lines.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace husk::text {

std::string join(std::span<const std::string> parts, std::string_view separator);

// Without their newlines. A last line that has none counts too.
std::vector<std::string_view> split_lines(std::string_view text);

// As a word that bash takes literally, quoted only if it must be. NUL has no such form: bash
// would drop it.
std::string quote(std::string_view word);
std::string quote_words(std::span<const std::string> words);

// For "did you mean": the candidate that the word was probably meant to be, or "".
std::string closest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace husk::text
