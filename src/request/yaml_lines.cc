#include "request/yaml_lines.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace husk::yaml {
namespace {

bool needs_no_quotes(std::string_view text) {
    constexpr std::string_view harmless =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./~+-";
    if (text.empty() || text[0] == '-' || text == "~" || text == "...") return false;
    if (text == "null" || text == "Null" || text == "NULL") return false;
    return text.find_first_not_of(harmless) == text.npos;
}

std::string json_quoted(const std::string& text) {
    using Json = nlohmann::json;
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Behind the closing quote; the end when there is none.
size_t behind_quote(std::string_view line, size_t at) {
    const char quote = line[at++];
    for (; at < line.size(); ++at) {
        if (line[at] == '\\' && quote == '"')
            ++at;
        else if (line[at] == quote)
            return at + 1;
    }
    return line.size();
}

}  // namespace

Lines::Lines(std::string_view text) {
    if (text.contains("\r\n")) ending = "\r\n";
    for (std::string_view line : text::split_lines(text)) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.emplace_back(line);
    }
}

std::string Lines::text() const {
    std::string text;
    for (const std::string& line : lines) text += line + ending;
    return text;
}

size_t indentation(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

bool says_something(std::string_view line) {
    const size_t first = line.find_first_not_of(" \t");
    return first != line.npos && line[first] != '#';
}

size_t comment_start(std::string_view line) {
    bool separated = true;  // a quote or a comment may begin here
    for (size_t at = 0; at < line.size();) {
        const char c = line[at];
        if (separated && (c == '"' || c == '\'')) {
            at = behind_quote(line, at);
            separated = false;
            continue;
        }
        if (c == '#' && (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t'))
            return line.find_last_not_of(" \t", at == 0 ? 0 : at - 1) == line.npos
                       ? 0
                       : line.find_last_not_of(" \t", at - 1) + 1;
        separated = c == ' ' || c == '\t' || c == '[' || c == '{' || c == ',' || c == ':';
        ++at;
    }
    return line.size();
}

std::optional<KeyLine> key_line(std::string_view line, std::string_view key) {
    const size_t start = indentation(line);
    if (start == line.size()) return std::nullopt;
    size_t end = start + key.size();
    if (line[start] == '"' || line[start] == '\'') {
        end = behind_quote(line, start);
        // What is escaped inside of it is not looked at: such a key is edited by hand.
        if (end < start + 2 || line.substr(start + 1, end - start - 2) != key) return std::nullopt;
    } else if (line.substr(start, key.size()) != key) {
        return std::nullopt;
    }
    const size_t colon = line.find_first_not_of(" \t", end);
    if (colon == line.npos || line[colon] != ':') return std::nullopt;
    const size_t comment = std::max(comment_start(line), colon + 1);
    std::string_view value = line.substr(colon + 1, comment - colon - 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    value = value.substr(0, value.find_last_not_of(" \t") + 1);
    return KeyLine{std::string(line.substr(0, colon + 1)), std::string(value),
                   std::string(line.substr(comment))};
}

std::string scalar(const std::string& text) {
    return needs_no_quotes(text) ? text : json_quoted(text);
}

std::string flow_list(const std::vector<std::string>& texts) {
    std::vector<std::string> parts;
    for (const std::string& text : texts) parts.push_back(scalar(text));
    return "[" + text::join(parts, ", ") + "]";
}

}  // namespace husk::yaml
