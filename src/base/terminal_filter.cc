#include "base/terminal_filter.h"

#include <algorithm>
#include <cstdint>

#include "base/utf8.h"

namespace husk::text {
namespace {

constexpr char escape = '\x1b';
constexpr std::string_view harmless_controls = "\n\r\t\b\a\v\f";
// Of movement and erasing; parameters beyond this are no use to them.
constexpr std::string_view harmless_finals = "ABCDEFGHJKLMPSX@`adefsu";
constexpr size_t longest_parameters = 64;

constexpr bool between(char byte, char lowest, char highest) {
    return byte >= lowest && byte <= highest;
}

bool is_plain(std::string_view parameters) {
    return std::ranges::all_of(parameters, [](char byte) {
        return between(byte, '0', '9') || byte == ';' || byte == ':';
    });
}

bool is_harmless(char final, std::string_view parameters) {
    if (!is_plain(parameters)) return false;
    if (final == 'm') return true;
    // "3" erases what the terminal has kept of earlier output.
    if (final == 'J' && parameters.contains('3')) return false;
    return harmless_finals.contains(final);
}

// How many bytes a character has that begins so; 0 when none does.
size_t length_of(char lead) {
    const auto byte = static_cast<uint8_t>(lead);
    if (byte >= 0xC2 && byte <= 0xDF) return 2;
    if (byte >= 0xE0 && byte <= 0xEF) return 3;
    if (byte >= 0xF0 && byte <= 0xF4) return 4;
    return 0;
}

constexpr std::string_view invalid = "\xef\xbf\xbd";

}  // namespace

std::string TerminalFilter::pass(std::string_view piece) {
    std::string shown;
    shown.reserve(piece.size());
    for (const char byte : piece) take(byte, shown);
    return shown;
}

std::string TerminalFilter::finish() {
    std::string shown;
    if (state_ == State::Text) end_torn_rune(shown);
    if (coloured_) shown += "\x1b[0m";
    *this = {};
    return shown;
}

void TerminalFilter::take(char byte, std::string& shown) {
    // These end whatever is under way, as they do in a terminal.
    if (byte == escape || byte == '\x18' || byte == '\x1a') {
        if (state_ == State::Text) end_torn_rune(shown);
        held_.clear();
        state_ = byte == escape ? State::Escape : State::Text;
        return;
    }
    switch (state_) {
        case State::Text: return take_text(byte, shown);
        case State::Escape:
        case State::EscapeMore: return take_escape(byte, shown);
        case State::Control: return take_control(byte, shown);
        case State::String:
            // A string that nobody ended must not hide the lines behind it.
            if (byte == '\n') shown += byte;
            if (byte == '\n' || byte == '\a') state_ = State::Text;
            return;
    }
}

void TerminalFilter::take_text(char byte, std::string& shown) {
    const auto value = static_cast<uint8_t>(byte);
    if (!held_.empty()) {
        const bool continues = (value & 0xC0U) == 0x80U;
        if (!continues) {
            end_torn_rune(shown);
            return take_text(byte, shown);
        }
        held_ += byte;
        if (held_.size() < length_of(held_.front())) return;
        const Rune rune = first_rune(held_);
        const bool whole = rune.bytes == held_.size();
        const bool is_c1 = rune.code >= 0x80 && rune.code < 0xA0;
        if (!is_c1) shown += whole ? std::string_view(held_) : invalid;
        held_.clear();
        return;
    }
    if (value >= 0x80) {
        if (length_of(byte) == 0)
            shown += invalid;
        else
            held_ += byte;
        return;
    }
    if ((value >= 0x20 && value != 0x7F) || harmless_controls.contains(byte)) shown += byte;
}

void TerminalFilter::end_torn_rune(std::string& shown) {
    if (!held_.empty()) shown += invalid;
    held_.clear();
}

void TerminalFilter::take_escape(char byte, std::string& shown) {
    const bool first = state_ == State::Escape;
    if (between(byte, ' ', '/')) {
        state_ = State::EscapeMore;
        return;
    }
    state_ = State::Text;
    if (first && byte == '[') {
        state_ = State::Control;
    } else if (first && std::string_view("]PX^_k").contains(byte)) {
        state_ = State::String;
    } else if (first && (byte == '7' || byte == '8')) {  // save and restore the cursor
        shown.append("\x1b").push_back(byte);
    } else if (!between(byte, '0', '~')) {
        take_text(byte, shown);
    }
}

void TerminalFilter::take_control(char byte, std::string& shown) {
    if (between(byte, ' ', '?')) {
        // One byte too many is enough to know that nothing harmless comes of it.
        if (held_.size() <= longest_parameters) held_ += byte;
        return;
    }
    const std::string parameters = std::move(held_);
    held_.clear();
    state_ = State::Text;
    if (!between(byte, '@', '~')) return take_text(byte, shown);
    if (parameters.size() > longest_parameters || !is_harmless(byte, parameters)) return;
    shown.append("\x1b[").append(parameters).push_back(byte);
    if (byte == 'm') coloured_ = !parameters.empty() && parameters != "0";
}

std::string for_terminal(std::string_view text) {
    TerminalFilter filter;
    std::string shown = filter.pass(text);
    return shown + filter.finish();
}

}  // namespace husk::text
