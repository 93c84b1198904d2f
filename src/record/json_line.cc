#include "record/json_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/misleading.h"
#include "base/utf8.h"

namespace husk::audit {
namespace {

// All of them have four digits.
std::string escape_of(char32_t code) {
    constexpr const char* digits = "0123456789abcdef";
    switch (code) {
        case '"': return "\\\"";
        case '\\': return "\\\\";
        case '\n': return "\\n";
        case '\r': return "\\r";
        case '\t': return "\\t";
        default: break;
    }
    std::string text = "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) text += digits[code >> shift & 0xf];
    return text;
}

// How much of a text begins with letters that are written as they are: nearly all of it.
size_t plain_letters(std::string_view text) {
    const auto is_special = [](char letter) {
        return letter < 0x20 || letter >= 0x7f || letter == '"' || letter == '\\';
    };
    return static_cast<size_t>(std::ranges::find_if(text, is_special) - text.begin());
}

// Up to `most` bytes between the quotes. False when that was not all.
bool append_quoted(std::string& out, std::string_view text, size_t most) {
    const std::string_view begin = text::whole_prefix(text, most);
    const bool is_short = begin.size() == text.size();
    std::string valid;
    text = begin;
    if (!text::is_utf8(text)) text = valid = text::to_utf8(text);
    out += '"';
    const size_t end = out.size() + most;
    while (!text.empty() && out.size() < end) {
        const size_t plain = std::min(plain_letters(text), end - out.size());
        out.append(text, 0, plain);
        text.remove_prefix(plain);
        if (text.empty() || out.size() == end) break;
        const text::Rune rune = text::first_rune(text);
        const bool escapes =
            rune.code == '"' || rune.code == '\\' || text::is_misleading(rune.code);
        const std::string letter =
            escapes ? escape_of(rune.code) : std::string(text.substr(0, rune.bytes));
        if (letter.size() > end - out.size()) break;
        out += letter;
        text.remove_prefix(rune.bytes);
    }
    out += '"';
    return is_short && text.empty();
}

template <class Number>
void append_number(std::string& out, Number number) {
    char digits[64];
    const auto written = std::to_chars(digits, digits + sizeof digits, number);
    out.append(digits, written.ptr);
}

}  // namespace

void JsonLine::begin(std::string_view name) {
    text_ += text_.empty() ? "{\"" : ",\"";
    text_.append(name).append("\":");
}

JsonLine& JsonLine::text(std::string_view name, std::string_view value, size_t most) {
    begin(name);
    if (value.empty())
        text_ += "null";
    else if (!append_quoted(text_, value, most))
        cut_.emplace_back(name);
    return *this;
}

JsonLine& JsonLine::texts(std::string_view name, std::span<const std::string> values) {
    begin(name);
    text_ += '[';
    bool whole = values.size() <= most_listed;
    for (const std::string& value : values.first(std::min(values.size(), most_listed))) {
        if (&value != values.data()) text_ += ',';
        whole = append_quoted(text_, value, longest_word) && whole;
    }
    text_ += ']';
    if (!whole) cut_.emplace_back(name);
    return *this;
}

bool JsonLine::has_cut(std::string_view name) const {
    return std::ranges::find(cut_, name) != cut_.end();
}

std::string JsonLine::done() const {
    if (text_.empty()) return "{}";
    if (cut_.empty()) return text_ + "}";
    std::string names;
    for (const std::string& name : cut_) names += (names.empty() ? "\"" : ",\"") + name + "\"";
    return text_ + ",\"cut\":[" + names + "]}";
}

JsonLine& JsonLine::flag(std::string_view name, bool value) {
    return json(name, value ? "true" : "false");
}

JsonLine& JsonLine::whole(std::string_view name, std::optional<int64_t> value) {
    if (!value) return json(name, "null");
    begin(name);
    append_number(text_, *value);
    return *this;
}

JsonLine& JsonLine::count(std::string_view name, std::optional<uint64_t> value) {
    if (!value) return json(name, "null");
    begin(name);
    append_number(text_, *value);
    return *this;
}

JsonLine& JsonLine::milliseconds(std::string_view name, std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return json(name, "null");
    begin(name);
    append_number(text_, std::round(*value * 1000) / 1000);
    return *this;
}

JsonLine& JsonLine::json(std::string_view name, std::string_view value) {
    begin(name);
    text_ += value;
    return *this;
}

std::string json_array(std::span<const std::string> values) {
    std::string out = "[";
    for (const std::string& value : values) out += (&value == values.data() ? "" : ",") + value;
    return out + "]";
}

std::string inert(std::string_view json) {
    std::string out;
    while (!json.empty()) {
        const text::Rune rune = text::first_rune(json);
        if (text::is_misleading(rune.code))
            out += escape_of(rune.code);
        else
            out += json.substr(0, rune.bytes);
        json.remove_prefix(rune.bytes);
    }
    return out;
}

}  // namespace husk::audit
