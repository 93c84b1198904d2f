#include "record/json_line.h"

#include <charconv>
#include <cmath>

#include "base/utf8.h"

namespace husk::audit {
namespace {

void append_escape(std::string& out, unsigned char letter) {
    constexpr const char* digits = "0123456789abcdef";
    switch (letter) {
        case '"': out += "\\\""; return;
        case '\\': out += "\\\\"; return;
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default:
            out += "\\u00";
            out += digits[letter >> 4];
            out += digits[letter & 0xf];
    }
}

void append_quoted(std::string& out, std::string_view text) {
    constexpr unsigned char first_printable = 0x20;
    constexpr unsigned char del = 0x7f;
    std::string valid;
    if (!text::is_utf8(text)) text = valid = text::to_utf8(text);
    out += '"';
    size_t plain = 0;  // where what needs no escape begins
    for (size_t at = 0; at < text.size(); ++at) {
        const auto letter = static_cast<unsigned char>(text[at]);
        if (letter >= first_printable && letter != '"' && letter != '\\' && letter != del) continue;
        out.append(text, plain, at - plain);
        append_escape(out, letter);
        plain = at + 1;
    }
    out.append(text, plain);
    out += '"';
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

JsonLine& JsonLine::text(std::string_view name, std::string_view value) {
    begin(name);
    if (value.empty())
        text_ += "null";
    else
        append_quoted(text_, value);
    return *this;
}

JsonLine& JsonLine::texts(std::string_view name, std::span<const std::string> values) {
    begin(name);
    text_ += '[';
    for (const std::string& value : values) {
        if (&value != values.data()) text_ += ',';
        append_quoted(text_, value);
    }
    text_ += ']';
    return *this;
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

}  // namespace husk::audit
