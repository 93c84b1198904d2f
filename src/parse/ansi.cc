#include "parse/ansi.h"

#include <cstdint>
#include <optional>

#include "base/utf8.h"
#include "parse/letters.h"

namespace husk::parse {
namespace {

constexpr int hex_value(char letter) {
    if (is_digit(letter)) return letter - '0';
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
    return -1;
}

// The number that starts at `at`, of at most `most` digits to the base; `at` is moved behind it.
std::optional<uint32_t> read_number(std::string_view text, size_t& at, size_t most, int base) {
    uint32_t value = 0;
    size_t digits = 0;
    while (digits < most && at < text.size()) {
        const int digit = hex_value(text[at]);
        if (digit < 0 || digit >= base) break;
        value = value * static_cast<uint32_t>(base) + static_cast<uint32_t>(digit);
        ++at;
        ++digits;
    }
    if (digits == 0) return std::nullopt;
    return value;
}

char plain_escape(char letter) {
    switch (letter) {
        case 'a': return '\a';
        case 'b': return '\b';
        case 'e':
        case 'E': return '\x1b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        case 'v': return '\v';
        case '\\':
        case '\'':
        case '"':
        case '?': return letter;
        default: return '\0';
    }
}

// What the escape means whose letter is at `at`, behind the backslash. False: a NUL.
bool append_escape(std::string& result, std::string_view text, size_t& at) {
    const char letter = text[at++];
    if (const char plain = plain_escape(letter); plain != '\0') {
        result += plain;
        return true;
    }
    if (letter >= '0' && letter <= '7') {
        const auto byte = static_cast<char>(*read_number(text, --at, 3, 8));
        if (byte != '\0') result += byte;
        return byte != '\0';
    }
    if (letter == 'c' && at < text.size()) {
        const auto byte = static_cast<char>(text[at++] & 0x1f);
        if (byte != '\0') result += byte;
        return byte != '\0';
    }
    if (letter == 'x' && at < text.size() && text[at] == '{') {
        const size_t close = text.find('}', at);
        if (close != std::string_view::npos) {
            ++at;
            const auto number = read_number(text, at, close - at, 16);
            at = close + 1;
            result += static_cast<char>(number.value_or(0));
            return static_cast<char>(number.value_or(0)) != '\0';
        }
    }
    const size_t most = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    const auto number = read_number(text, at, most, 16);
    if (!number) {
        result += '\\';
        result += letter;
    } else if (letter == 'x') {
        result += static_cast<char>(*number);
    } else {
        husk::text::append_utf8(result, *number);
    }
    return number != 0U;
}

}  // namespace

std::string decode_ansi(std::string_view text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
        if (text[at] != '\\' || at + 1 == text.size()) {
            result += text[at++];
            continue;
        }
        ++at;
        const size_t before = result.size();
        if (!append_escape(result, text, at)) {
            result.resize(before);
            break;
        }
    }
    return result;
}

}  // namespace husk::parse
