#include "decide/glob.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace husk::decide {
namespace {

using Piece = parse::Piece;

bool is_symbol(char16_t letter) { return letter >= any_text; }
bool is_other_symbol(char16_t letter) { return letter > any_text; }

// Nothing about either is unknown.
bool are_known(const Letters& pattern, const Letters& text) {
    return std::ranges::none_of(pattern, is_symbol) && std::ranges::none_of(text, is_symbol);
}

std::string bytes_of(const Letters& text) {
    std::string bytes;
    bytes.reserve(text.size());
    for (const char16_t letter : text) bytes += static_cast<char>(letter);
    return bytes;
}

// Where `part` stands in the text from `at` on. memmem() is linear, which find() is not.
size_t find_from(std::string_view text, std::string_view part, size_t at) {
    const void* found = ::memmem(text.data() + at, text.size() - at, part.data(), part.size());
    if (found == nullptr) return std::string_view::npos;
    return static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

// The last letters of the text are known, and are not those of `end`.
bool ends_differently(const Letters& text, std::string_view end) {
    const size_t both = std::min(end.size(), text.size());
    for (size_t i = 1; i <= both; ++i) {
        const char16_t letter = text[text.size() - i];
        if (is_symbol(letter)) return false;
        if (letter != static_cast<unsigned char>(end[end.size() - i])) return true;
    }
    return false;
}

// The same for each of the patterns that a glob stands for.
template <typename Patterns>
bool all_end_differently(const Patterns& patterns, const Text& text) {
    return !patterns.empty() && std::ranges::all_of(patterns, [&](const auto& pattern) {
        return ends_differently(text.letters(), pattern.parts.back());
    });
}

}  // namespace

Letters letters(std::string_view text) {
    Letters out;
    out.reserve(text.size());
    for (const char c : text) out += static_cast<unsigned char>(c);
    return out;
}

Letters letters(const parse::Word& word) {
    Letters out;
    for (const Piece& piece : word.pieces) {
        if (piece.kind == Piece::Kind::Text)
            out += letters(piece.text);
        else
            out += any_text;
    }
    return out;
}

Letters starred(std::string_view pattern) {
    Letters out = letters(pattern);
    std::ranges::replace(out, u'*', any_text);
    return out;
}

Text::Text(Letters letters) : letters_(std::move(letters)) {
    if (std::ranges::none_of(letters_, is_symbol)) bytes_ = bytes_of(letters_);
}

Glob::Glob(const Letters& pattern)
    : start_(pattern.substr(
          0, static_cast<size_t>(std::ranges::find_if(pattern, is_symbol) - pattern.begin()))),
      positions_(pattern) {
    constexpr auto most_to_write_out = 2;
    const bool can_be_written = std::ranges::all_of(pattern, [](char16_t letter) {
        return !is_other_symbol(letter) || letter == space_or_colon || letter == maybe_space;
    });
    if (can_be_written && std::ranges::count_if(pattern, is_other_symbol) <= most_to_write_out)
        add_plain(pattern);
}

// Each symbol other than any_text makes two patterns of one.
void Glob::add_plain(Letters pattern) {
    const auto symbol = std::ranges::find_if(pattern, is_other_symbol);
    if (symbol == pattern.end()) {
        Plain plain{.parts = {""}};
        for (const char16_t letter : pattern) {
            if (letter == any_text)
                plain.parts.emplace_back();
            else
                plain.parts.back() += static_cast<char>(letter);
        }
        plain_.push_back(std::move(plain));
        return;
    }
    const auto at = static_cast<size_t>(symbol - pattern.begin());
    Letters other = pattern;
    other[at] = u' ';
    if (pattern[at] == maybe_space)
        pattern.erase(at, 2);
    else
        pattern[at] = u':';
    add_plain(std::move(pattern));
    add_plain(std::move(other));
}

bool Glob::Plain::matches(std::string_view text) const {
    if (parts.size() == 1) return text == parts.front();
    const std::string& first = parts.front();
    const std::string& last = parts.back();
    if (text.size() < first.size() + last.size() || !text.starts_with(first) ||
        !text.ends_with(last))
        return false;
    text = text.substr(0, text.size() - last.size());
    size_t at = first.size();
    // Each part at the first place that it can have leaves the most for those behind it.
    for (size_t i = 1; i + 1 < parts.size(); ++i) {
        const size_t found = find_from(text, parts[i], at);
        if (found == std::string_view::npos) return false;
        at = found + parts[i].size();
    }
    return true;
}

bool Glob::matches_known(std::string_view text) const {
    return std::ranges::any_of(plain_, [&](const Plain& plain) { return plain.matches(text); });
}

// Most patterns are about other programs.
bool Glob::starts_differently(const Text& text) const {
    const Letters& other = text.letters();
    const size_t both = std::min(start_.size(), other.size());
    for (size_t i = 0; i < both; ++i) {
        if (is_symbol(other[i])) return false;
        if (start_[i] != other[i]) return true;
    }
    return false;
}

bool Glob::covers(const Text& text) const {
    if (starts_differently(text)) return false;
    if (text.is_known() && !plain_.empty()) return matches_known(text.bytes());
    if (all_end_differently(plain_, text)) return false;
    return positions_.covers(text.letters());
}

bool Glob::meets(const Text& text) const {
    if (starts_differently(text)) return false;
    if (text.is_known() && !plain_.empty()) return matches_known(text.bytes());
    if (all_end_differently(plain_, text)) return false;
    return positions_.meets(text.letters());
}

bool covers(const Letters& pattern, const Letters& text) {
    if (are_known(pattern, text)) return pattern == text;
    return Glob(pattern).covers(Text(text));
}

bool meets(const Letters& pattern, const Letters& text) {
    if (are_known(pattern, text)) return pattern == text;
    return Glob(pattern).meets(Text(text));
}

bool is_added_later(const parse::Word& word) {
    return word.pieces.size() == 1 && word.pieces.front().kind == Piece::Kind::Substitution &&
           word.pieces.front().text == "...";
}

bool may_be_many_words(const parse::Word& word) {
    if (is_added_later(word)) return true;
    return std::ranges::any_of(word.pieces, [](const Piece& piece) {
        switch (piece.kind) {
            case Piece::Kind::Variable:
                // "$@" and "${x[@]}" are many words even between quotes.
                return !piece.quoted || piece.name == "@" || piece.text.contains("[@]");
            case Piece::Kind::Substitution:
            case Piece::Kind::Glob:
            case Piece::Kind::Braces: return !piece.quoted;
            default: return false;
        }
    });
}

}  // namespace husk::decide
