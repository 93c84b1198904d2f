#include "parse/script.h"

#include <algorithm>

namespace husk::parse {

bool Word::known() const {
    return std::ranges::all_of(pieces,
                               [](const Piece& piece) { return piece.kind == Piece::Kind::Text; });
}

std::optional<std::string> Word::value() const {
    if (!known()) return std::nullopt;
    return shown();
}

std::string Word::shown() const {
    std::string text;
    for (const Piece& piece : pieces) text += piece.text;
    return text;
}

bool Word::is(std::string_view text) const {
    for (const Piece& piece : pieces) {
        if (piece.kind != Piece::Kind::Text || !text.starts_with(piece.text)) return false;
        text.remove_prefix(piece.text.size());
    }
    return text.empty();
}

std::string Word::known_start() const {
    std::string text;
    for (const Piece& piece : pieces) {
        if (piece.kind != Piece::Kind::Text) break;
        text += piece.text;
    }
    return text;
}

std::string Command::program() const {
    if (words.empty()) return "";
    const std::optional<std::string> path = words.front().value();
    if (!path) return "";
    return path->substr(path->rfind('/') + 1);
}

}  // namespace husk::parse
