#include "base/terminal_text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/misleading.h"
#include "base/units.h"
#include "base/utf8.h"

namespace husk::text {
namespace {

constexpr char escape = '\x1b';
constexpr char bell = '\a';
constexpr char cancel = '\x18';
constexpr char substitute = '\x1a';
constexpr char c1_lead = '\xc2';  // U+0080..U+009F are this and a byte below 0xA0

constexpr bool between(char byte, char lowest, char highest) {
    return byte >= lowest && byte <= highest;
}

// Everything shown so far. The last line stays a piece of text until the cursor moves in it;
// from then on it is cells, because only those can be overwritten in constant time.
class Screen {
public:
    explicit Screen(size_t expected) { shown_.reserve(expected); }

    void write(std::string_view text) {
        if (!moved_) {
            shown_ += text;
            return;
        }
        for (size_t at = 0; at < text.size();) {
            const Rune rune = first_rune(text.substr(at));
            put(rune.code);
            at += rune.bytes;
        }
    }

    void new_line() {
        settle();
        shown_ += '\n';
        line_start_ = shown_.size();
    }

    // Never beyond the end of the line: a few bytes must not demand a million blanks.
    void go_to(size_t column) {
        move();
        column_ = std::min(column, cells_.size());
    }

    void step_back() {
        move();
        if (column_ > 0) --column_;
    }

    void erase_to_end() {
        if (moved_) cells_.resize(std::min(column_, cells_.size()));
    }

    void erase_line() {
        cells_.clear();
        moved_ = false;
        shown_.resize(line_start_);
    }

    std::string finish() && {
        settle();
        return std::move(shown_);
    }

private:
    void put(char32_t code) {
        if (column_ < cells_.size())
            cells_[column_] = code;
        else
            cells_ += code;
        ++column_;
    }

    void move() {
        if (moved_) return;
        moved_ = true;
        column_ = 0;
        cells_.reserve(shown_.size() - line_start_);
        write(std::string_view(shown_).substr(line_start_));
        shown_.resize(line_start_);
    }

    void settle() {
        if (!moved_) return;
        for (const char32_t code : cells_) append_utf8(shown_, code);
        cells_.clear();
        moved_ = false;
    }

    std::string shown_;
    size_t line_start_ = 0;
    bool moved_ = false;
    std::u32string cells_;
    size_t column_ = 0;
};

// --- Escapes. Each function gets the place behind the introducer, and returns the place
// --- where ordinary text goes on.

void obey_control(char final, std::string_view parameters, Screen& screen) {
    const auto number = parameters.empty() ? 0 : parse_number(parameters);
    if (!number) return;
    if ((final == 'K' || final == 'J') && *number == 0) screen.erase_to_end();
    if (final == 'K' && *number == 2) screen.erase_line();
    if (final == 'G') screen.go_to(*number > 0 ? *number - 1 : 0);
}

size_t skip(std::string_view text, size_t at, char lowest, char highest) {
    while (at < text.size() && between(text[at], lowest, highest)) ++at;
    return at;
}

size_t after_control(std::string_view text, size_t at, Screen& screen) {
    const size_t parameters_end = skip(text, at, '0', '?');
    const size_t end = skip(text, parameters_end, ' ', '/');
    if (end == text.size() || !between(text[end], '@', '~')) return end;
    if (end == parameters_end)
        obey_control(text[end], text.substr(at, parameters_end - at), screen);
    return end + 1;
}

enum class StringEnd { OnlyTerminator, AlsoBell };

// A string may hold newlines, but one that nobody ended must not hide the lines behind it.
// Whatever could introduce another escape stops the search, so no byte is searched twice.
size_t after_string(std::string_view text, size_t at, StringEnd end) {
    const auto stops = [&](size_t i) {
        const char byte = text[i];
        if (byte == bell) return end == StringEnd::AlsoBell;
        if (byte == escape || byte == cancel || byte == substitute) return true;
        return byte == c1_lead && i + 1 < text.size() && static_cast<uint8_t>(text[i + 1]) < 0xA0;
    };
    size_t stop = at;
    while (stop < text.size() && !stops(stop)) ++stop;
    const std::string_view rest = text.substr(stop);
    if (rest.starts_with(bell)) return stop + 1;
    if (rest.starts_with("\x1b\\") || rest.starts_with("\xc2\x9c")) return stop + 2;
    const size_t line_end = text.substr(at, stop - at).find('\n');
    return line_end == std::string_view::npos ? stop : at + line_end;
}

// `kind` is what follows ESC, and what U+0080..U+009F mean as well, 0x40 lower.
std::optional<size_t> after_introducer(char kind, std::string_view text, size_t at,
                                       Screen& screen) {
    if (kind == '[') return after_control(text, at, screen);
    if (kind == ']') return after_string(text, at, StringEnd::AlsoBell);
    if (kind == 'P' || kind == 'X' || kind == '^' || kind == '_')
        return after_string(text, at, StringEnd::OnlyTerminator);
    return std::nullopt;
}

size_t after_escape(std::string_view text, size_t at, Screen& screen) {
    if (at == text.size()) return at;
    if (const auto after = after_introducer(text[at], text, at + 1, screen)) return *after;
    const size_t end = skip(text, at, ' ', '/');
    if (end == text.size() || !between(text[end], '0', '~')) return end;
    return end + 1;
}

size_t after_c1(std::string_view text, size_t at, Screen& screen) {
    const char kind = static_cast<char>(static_cast<uint8_t>(text[at]) - 0x40);
    return after_introducer(kind, text, at + 1, screen).value_or(at + 1);
}

size_t after_returns(std::string_view text, size_t at, Screen& screen) {
    const size_t end = std::min(text.find_first_not_of('\r', at), text.size());
    // The usual end of a line in files from Windows moves nothing that will be overwritten.
    if (end < text.size() && text[end] != '\n') screen.go_to(0);
    return end;
}

size_t after_special(std::string_view text, size_t at, Screen& screen) {
    const size_t next = at + 1;
    switch (text[at]) {
        case '\n': screen.new_line(); return next;
        case '\r': return after_returns(text, next, screen);
        case '\b': screen.step_back(); return next;
        case escape: return after_escape(text, next, screen);
        case c1_lead: return after_c1(text, next, screen);
        default: return next;
    }
}

// --- Ordinary text.

constexpr std::array<bool, 256> make_ordinary() {
    std::array<bool, 256> table{};
    for (size_t byte = 0x20; byte < table.size(); ++byte) table[byte] = byte != 0x7F;
    table['\t'] = true;
    table[static_cast<uint8_t>(c1_lead)] = false;
    return table;
}

size_t end_of_ordinary(std::string_view text, size_t at) {
    static constexpr std::array<bool, 256> ordinary = make_ordinary();
    for (; at < text.size(); ++at) {
        if (ordinary[static_cast<uint8_t>(text[at])]) continue;
        if (text[at] != c1_lead || static_cast<uint8_t>(text[at + 1]) < 0xA0) break;
    }
    return at;
}

std::string plain_of_valid(std::string_view text) {
    Screen screen(text.size());
    for (size_t at = 0; at < text.size();) {
        const size_t end = end_of_ordinary(text, at);
        screen.write(text.substr(at, end - at));
        at = end < text.size() ? after_special(text, end, screen) : end;
    }
    return std::move(screen).finish();
}

void append_number(std::string& text, char32_t code) {
    if (code == '\r') {
        text += "\\r";
        return;
    }
    constexpr std::string_view digits = "0123456789abcdef";
    const int places = code < 0x80 ? 2 : code < 0x10000 ? 4 : 8;
    text += code < 0x80 ? "\\x" : code < 0x10000 ? "\\u" : "\\U";
    for (int place = places - 1; place >= 0; --place) text += digits[(code >> (4 * place)) & 0xFU];
}

}  // namespace

std::string plain(std::string_view raw) {
    return is_utf8(raw) ? plain_of_valid(raw) : plain_of_valid(to_utf8(raw));
}

std::string inert(std::string_view raw) {
    std::string shown;
    shown.reserve(raw.size());
    while (!raw.empty()) {
        const Rune rune = first_rune(raw);
        raw.remove_prefix(rune.bytes);
        const bool is_layout = rune.code == '\n' || rune.code == '\t';
        if (is_misleading(rune.code) && !is_layout)
            append_number(shown, rune.code);
        else
            append_utf8(shown, rune.code);
    }
    return shown;
}

std::string one_line(std::string_view raw) {
    std::string line = inert(raw);
    std::ranges::replace_if(line, [](char byte) { return byte == '\n' || byte == '\t'; }, ' ');
    return line;
}

}  // namespace husk::text
