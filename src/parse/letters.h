// Letters as bash's grammar sorts them.
#pragma once

#include <string>
#include <string_view>

namespace husk::parse {

constexpr bool is_blank(char letter) { return letter == ' ' || letter == '\t'; }
constexpr bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
constexpr bool is_name_start(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_';
}
constexpr bool is_name_letter(char letter) { return is_name_start(letter) || is_digit(letter); }
// Ends a word wherever it stands unquoted.
constexpr bool is_break(char letter) {
    return is_blank(letter) || letter == '\n' || letter == '|' || letter == '&' || letter == ';' ||
           letter == '(' || letter == ')' || letter == '<' || letter == '>' || letter == '\0';
}
constexpr bool is_special_parameter(char letter) {
    return letter == '@' || letter == '*' || letter == '#' || letter == '?' || letter == '-' ||
           letter == '$' || letter == '!';
}

// With small letters for A to Z.
inline std::string lowered(std::string_view text) {
    std::string result(text);
    for (char& letter : result)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return result;
}

}  // namespace husk::parse
