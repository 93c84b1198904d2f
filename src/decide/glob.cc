#include "decide/glob.h"

#include <algorithm>
#include <set>
#include <vector>

namespace husk::decide {
namespace {

using Piece = parse::Piece;

// Positions in the pattern at which the next letter may be read; one more for its end.
using Positions = std::vector<bool>;

enum class Unknown : uint8_t { MustBeCovered, MayBeAnything };

// With all positions that can be reached without reading.
Positions closed(const Letters& pattern, Positions at) {
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (!at[i]) continue;
        if (pattern[i] == any_text || pattern[i] == any_segment) at[i + 1] = true;
        if (pattern[i] == maybe_space) at[i + 2] = true;
    }
    return at;
}

bool reads(char16_t symbol, char16_t letter) {
    switch (symbol) {
        case any_text: return true;
        case any_segment:
        case any_letter: return letter != u'/';
        case space_or_colon: return letter == u' ' || letter == u':';
        case maybe_space: return letter == u' ';
        default: return symbol == letter;
    }
}

Positions step(const Letters& pattern, const Positions& at, char16_t letter) {
    Positions next(at.size(), false);
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (!at[i] || !reads(pattern[i], letter)) continue;
        const bool stays = pattern[i] == any_text || pattern[i] == any_segment;
        next[stays ? i : i + 1] = true;
    }
    return closed(pattern, std::move(next));
}

Positions step_over_unknown(const Letters& pattern, const Positions& at, Unknown unknown) {
    Positions next(at.size(), false);
    if (unknown == Unknown::MayBeAnything) {
        // A pattern is a chain: some text leads from the first position to every later one.
        const auto first = std::ranges::find(at, true) - at.begin();
        std::fill(next.begin() + first, next.end(), true);
        return next;
    }
    for (size_t i = 0; i < pattern.size(); ++i) next[i] = at[i] && pattern[i] == any_text;
    return closed(pattern, std::move(next));
}

bool is_dead(const Positions& at) { return std::ranges::find(at, true) == at.end(); }

Positions start(const Letters& pattern) {
    Positions at(pattern.size() + 1, false);
    at[0] = true;
    return closed(pattern, std::move(at));
}

// Most patterns are about other programs: their first letter tells.
bool start_differently(const Letters& pattern, const Letters& text) {
    return !pattern.empty() && !text.empty() && pattern.front() < any_text &&
           text.front() < any_text && pattern.front() != text.front();
}

// Each maybe_space makes two texts of one. They are followed together, and nearly always end
// up at the same positions.
constexpr size_t most_ways = 64;

bool all_ways_match(const Letters& pattern, const Letters& text) {
    std::set<Positions> ways = {start(pattern)};
    for (size_t i = 0; i < text.size(); ++i) {
        std::set<Positions> next;
        const bool optional = text[i] == maybe_space;
        for (const Positions& at : ways) {
            const Positions after = text[i] == any_text
                                        ? step_over_unknown(pattern, at, Unknown::MustBeCovered)
                                        : step(pattern, at, optional ? u' ' : text[i]);
            if (!optional) {
                next.insert(after);
                continue;
            }
            next.insert(at);
            next.insert(step_over_unknown(pattern, after, Unknown::MustBeCovered));
        }
        if (optional) ++i;  // its any_text is dealt with
        if (next.size() > most_ways || std::ranges::any_of(next, is_dead)) return false;
        ways = std::move(next);
    }
    return std::ranges::all_of(ways, [](const Positions& at) { return at.back(); });
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

bool covers(const Letters& pattern, const Letters& text) {
    return !start_differently(pattern, text) && all_ways_match(pattern, text);
}

bool meets(const Letters& pattern, const Letters& text) {
    if (start_differently(pattern, text)) return false;
    Positions at = start(pattern);
    for (size_t i = 0; i < text.size() && !is_dead(at); ++i) {
        if (text[i] == maybe_space) {
            Positions after = step(pattern, at, u' ');
            if (!is_dead(after)) after = step_over_unknown(pattern, after, Unknown::MayBeAnything);
            for (size_t k = 0; k < at.size(); ++k) at[k] = at[k] || after[k];
            ++i;
        } else if (text[i] == any_text) {
            at = step_over_unknown(pattern, at, Unknown::MayBeAnything);
        } else {
            at = step(pattern, at, text[i]);
        }
    }
    return at.back();
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
