#include "base/utf8.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>

namespace husk::text {
namespace {

constexpr size_t longest_rune = 4;

constexpr uint8_t byte_at(std::string_view text, size_t at) {
    return static_cast<uint8_t>(text[at]);
}

constexpr bool is_continuation(uint8_t byte) { return (byte & 0xC0U) == 0x80U; }

// What may follow a lead byte: how many bytes, and which may be the first of them. Here the
// overlong forms, the surrogates and what is beyond U+10FFFF are excluded.
struct Lead {
    size_t more;
    uint8_t lowest = 0x80;
    uint8_t highest = 0xBF;
    bool valid = true;
};

constexpr Lead lead_of(uint8_t byte) {
    if (byte < 0x80) return {.more = 0};
    if (byte >= 0xC2 && byte <= 0xDF) return {.more = 1};
    if (byte == 0xE0) return {.more = 2, .lowest = 0xA0};
    if (byte == 0xED) return {.more = 2, .highest = 0x9F};
    if (byte >= 0xE1 && byte <= 0xEF) return {.more = 2};
    if (byte == 0xF0) return {.more = 3, .lowest = 0x90};
    if (byte >= 0xF1 && byte <= 0xF3) return {.more = 3};
    if (byte == 0xF4) return {.more = 3, .highest = 0x8F};
    return {.more = 0, .valid = false};
}

constexpr uint8_t payload_of(uint8_t lead, size_t more) {
    if (more == 0) return lead;
    return static_cast<uint8_t>(lead & (0x3FU >> more));
}

// The character that has bytes on both sides of `at`, as [begin, end); {at, at} if none has.
struct Around {
    size_t begin;
    size_t end;
};

Around around(std::string_view text, size_t at) {
    if (!is_continuation(byte_at(text, at))) return {at, at};
    for (size_t back = 1; back < longest_rune && back <= at; ++back) {
        const Rune rune = first_rune(text.substr(at - back));
        if (rune.form == Rune::Form::Whole && rune.bytes > back)
            return {.begin = at - back, .end = at - back + rune.bytes};
    }
    return {at, at};
}

}  // namespace

Rune first_rune(std::string_view text) {
    const uint8_t first = byte_at(text, 0);
    Lead lead = lead_of(first);
    if (!lead.valid) return {replacement, 1, Rune::Form::Invalid};
    char32_t code = payload_of(first, lead.more);
    for (size_t i = 1; i <= lead.more; ++i) {
        if (i == text.size()) return {replacement, i, Rune::Form::Torn};
        const uint8_t byte = byte_at(text, i);
        if (byte < lead.lowest || byte > lead.highest) return {replacement, i, Rune::Form::Invalid};
        lead.lowest = 0x80;
        lead.highest = 0xBF;
        code = (code << 6U) | (byte & 0x3FU);
    }
    return {code, lead.more + 1, Rune::Form::Whole};
}

void append_utf8(std::string& text, char32_t code) {
    const auto add = [&](char32_t byte) { text += static_cast<char>(byte); };
    if (code < 0x80) return add(code);
    if (code < 0x800) {
        add(0xC0U | (code >> 6U));
    } else {
        if (code < 0x10000) {
            add(0xE0U | (code >> 12U));
        } else {
            add(0xF0U | (code >> 18U));
            add(0x80U | ((code >> 12U) & 0x3FU));
        }
        add(0x80U | ((code >> 6U) & 0x3FU));
    }
    add(0x80U | (code & 0x3FU));
}

bool is_utf8(std::string_view text) {
    return text.empty() || simdjson::validate_utf8(text.data(), text.size());
}

std::string to_utf8(std::string_view text) {
    if (is_utf8(text)) return std::string(text);
    std::string valid;
    valid.reserve(text.size());
    size_t copied = 0;
    for (size_t at = 0; at < text.size();) {
        const Rune rune = first_rune(text.substr(at));
        if (rune.form != Rune::Form::Whole) {
            valid += text.substr(copied, at - copied);
            append_utf8(valid, replacement);
            copied = at + rune.bytes;
        }
        at += rune.bytes;
    }
    valid += text.substr(copied);
    return valid;
}

std::string_view whole_prefix(std::string_view text, size_t max) {
    if (text.size() <= max) return text;
    return text.substr(0, around(text, max).begin);
}

std::string_view whole_suffix(std::string_view text, size_t max) {
    if (text.size() <= max) return text;
    if (max == 0) return text.substr(text.size());
    return text.substr(around(text, text.size() - max).end);
}

std::string_view without_torn_end(std::string_view text) {
    for (size_t back = 1; back < longest_rune && back <= text.size(); ++back) {
        const size_t at = text.size() - back;
        if (first_rune(text.substr(at)).form == Rune::Form::Torn) return text.substr(0, at);
    }
    return text;
}

std::string_view without_torn_start(std::string_view text) {
    const size_t furthest = std::min(text.size(), longest_rune - 1);
    size_t start = 0;
    while (start < furthest && is_continuation(byte_at(text, start))) ++start;
    return text.substr(start);
}

}  // namespace husk::text
