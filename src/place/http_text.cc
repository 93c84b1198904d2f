#include "place/http_text.h"

#include <charconv>
#include <cstdint>

namespace husk::place {
namespace {

constexpr std::string_view line_end = "\r\n";

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

std::optional<size_t> number(const std::string& text, int base) {
    size_t value = 0;
    const auto [stopped, failed] =
        std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (failed != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
    return value;
}

int status_in(std::string_view line) {
    constexpr size_t at = std::string_view("HTTP/1.1 ").size();
    if (!line.starts_with("HTTP/1.") || line.size() < at + 3) return 0;
    return static_cast<int>(number(std::string(line.substr(at, 3)), 10).value_or(0));
}

}  // namespace

std::optional<Head> read_head(std::string_view text) {
    const size_t end = text.find("\r\n\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    Head head{.size = end + 4};
    std::string_view lines = text.substr(0, end);
    head.status = status_in(lines);
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find(line_end));
        lines.remove_prefix(std::min(line.size() + line_end.size(), lines.size()));
        const size_t colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        const std::string name = lower(line.substr(0, colon));
        const std::string_view value = trimmed(line.substr(colon + 1));
        if (name == "content-length") head.length = number(std::string(value), 10);
        if (name == "transfer-encoding") head.chunked = lower(value) == "chunked";
    }
    return head;
}

std::optional<std::string> unchunked(std::string_view text) {
    std::string body;
    for (;;) {
        const size_t end = text.find(line_end);
        if (end == std::string_view::npos) return std::nullopt;
        const auto size = number(std::string(text.substr(0, std::min(text.find(';'), end))), 16);
        if (!size) return std::nullopt;
        text.remove_prefix(end + line_end.size());
        if (*size == 0) return body;
        if (text.size() < line_end.size() || text.size() - line_end.size() < *size)
            return std::nullopt;
        body += text.substr(0, *size);
        text.remove_prefix(*size + line_end.size());
    }
}

std::optional<std::string> read_body(const Head& head, std::string_view text, bool closed) {
    text.remove_prefix(head.size);
    if (head.chunked) return unchunked(text);
    constexpr int no_content = 204;
    constexpr int not_modified = 304;
    if (head.status == no_content || head.status == not_modified) return "";
    if (head.length) {
        if (text.size() < *head.length) return std::nullopt;
        return std::string(text.substr(0, *head.length));
    }
    return closed ? std::optional(std::string(text)) : std::nullopt;
}

std::string request_text(std::string_view method, std::string_view path, std::string_view body,
                         std::string_view more_headers) {
    std::string text(method);
    text.append(" ").append(path).append(" HTTP/1.1\r\nHost: engine\r\n").append(more_headers);
    if (!body.empty()) text += "Content-Type: application/json\r\n";
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    return text.append(body);
}

std::string escaped(std::string_view text) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/:";
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (plain.contains(c)) {
            out += c;
        } else {
            out += '%';
            out += digits[byte >> 4];
            out += digits[byte & 15];
        }
    }
    return out;
}

}  // namespace husk::place
