#include "serve/http_message.h"

#include <algorithm>
#include <charconv>

#include "render/report_json.h"

namespace husk::serve::http {
namespace {

int hex(char letter) {
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
    return -1;
}

enum class Plus { IsItself, IsASpace };

// None when it is not well-formed, or holds a NUL.
std::optional<std::string> decoded(std::string_view text, Plus plus) {
    std::string out;
    for (size_t at = 0; at < text.size(); ++at) {
        char letter = text[at];
        if (letter == '+' && plus == Plus::IsASpace) letter = ' ';
        if (text[at] == '%') {
            if (at + 2 >= text.size()) return std::nullopt;
            const int high = hex(text[at + 1]);
            const int low = hex(text[at + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            letter = static_cast<char>(high * 16 + low);
            at += 2;
        }
        if (letter == '\0') return std::nullopt;
        out += letter;
    }
    return out;
}

const char* phrase(int status) {
    switch (status) {
        case 200: return "OK";
        case 202: return "Accepted";
        case 204: return "No Content";
        case 303: return "See Other";
        case 400: return "Bad Request";
        case 401: return "Unauthorized";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 406: return "Not Acceptable";
        case 408: return "Request Timeout";
        case 409: return "Conflict";
        case 413: return "Content Too Large";
        case 415: return "Unsupported Media Type";
        case 429: return "Too Many Requests";
        case 431: return "Request Header Fields Too Large";
        case 503: return "Service Unavailable";
        default: return "Internal Server Error";
    }
}

std::string head(const Response& response) {
    std::string text =
        "HTTP/1.1 " + std::to_string(response.status) + " " + phrase(response.status) + "\r\n";
    if (!response.type.empty()) text += "Content-Type: " + response.type + "\r\n";
    // What is answered is about this moment, and often not for others.
    text += "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";
    for (const auto& [name, value] : response.headers) {
        if (name == "Cache-Control") {
            const size_t at = text.find("Cache-Control: no-store");
            text.replace(at, std::string_view("Cache-Control: no-store").size(),
                         "Cache-Control: " + value);
            continue;
        }
        text += name + ": " + value + "\r\n";
    }
    return text;
}

}  // namespace

std::string Request::header(std::string_view name) const {
    std::string all;
    for (const auto& [one, value] : headers)
        if (one == name) all += (all.empty() ? "" : ", ") + value;
    return all;
}

bool Request::has_header(std::string_view name) const {
    return std::ranges::any_of(headers, [&](const auto& one) { return one.first == name; });
}

std::optional<std::string> Request::cookie(std::string_view name) const {
    for (const auto& [header, value] : headers) {
        if (header != "cookie") continue;
        std::string_view rest = value;
        while (!rest.empty()) {
            const size_t end = std::min(rest.find(';'), rest.size());
            std::string_view one = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            while (one.starts_with(' ')) one.remove_prefix(1);
            if (one.starts_with(name) && one.substr(name.size()).starts_with('='))
                return std::string(one.substr(name.size() + 1));
        }
    }
    return std::nullopt;
}

bool read_target(std::string_view target, Request& request) {
    if (!target.starts_with('/')) return false;
    const size_t mark = std::min(target.find('?'), target.size());
    auto path = decoded(target.substr(0, mark), Plus::IsItself);
    if (!path) return false;
    request.path = *std::move(path);
    std::string_view rest = target.substr(std::min(mark + 1, target.size()));
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view pair = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const size_t equals = std::min(pair.find('='), pair.size());
        auto name = decoded(pair.substr(0, equals), Plus::IsASpace);
        auto value = decoded(pair.substr(std::min(equals + 1, pair.size())), Plus::IsASpace);
        if (!name || !value) return false;
        if (!name->empty()) request.query[*std::move(name)] = *std::move(value);
    }
    return true;
}

std::string unclear_length(const Request& head) {
    const std::string encoding = head.header("transfer-encoding");
    const bool is_encoded = head.has_header("transfer-encoding");
    if (is_encoded && lower_case(encoding) != "chunked") return "Transfer-Encoding is not chunked";
    if (is_encoded && head.has_header("content-length"))
        return "there are Transfer-Encoding and Content-Length";
    if (head.header("content-length").contains(',')) return "there is more than one Content-Length";
    return "";
}

Response json_response(int status, const Json& body) {
    return {.status = status, .body = render::dump(body) + "\n"};
}

Response error_response(int status, std::string_view code, std::string_view message) {
    return json_response(status, {{"error", {{"code", code}, {"message", message}}}});
}

std::string head_with_length(const Response& response, size_t length, bool keep_alive) {
    std::string text = head(response);
    if (response.status != 204) text += "Content-Length: " + std::to_string(length) + "\r\n";
    text += keep_alive ? "\r\n" : "Connection: close\r\n\r\n";
    return text;
}

std::string head_of_chunks(const Response& response) {
    return head(response) + "Transfer-Encoding: chunked\r\n\r\n";
}

std::string chunk(std::string_view bytes) {
    char size[17];
    char* const end = std::to_chars(size, size + sizeof size, bytes.size(), 16).ptr;
    std::string text(size, end);
    text += "\r\n";
    text += bytes;
    text += "\r\n";
    return text;
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& letter : out)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return out;
}

}  // namespace husk::serve::http
