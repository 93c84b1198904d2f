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

void drop_start(Word& word, size_t count) {
    while (count > 0 && !word.pieces.empty()) {
        Piece& piece = word.pieces.front();
        const size_t taken = std::min(count, piece.text.size());
        piece.text.erase(0, taken);
        count -= taken;
        if (piece.text.empty()) word.pieces.erase(word.pieces.begin());
    }
}

std::string Command::program() const {
    if (words.empty()) return "";
    const std::optional<std::string> path = words.front().value();
    if (!path) return "";
    std::string name = path->substr(path->rfind('/') + 1);
    // The shell that reads the script starts itself again.
    if (name == "exe" && path->starts_with("/proc/")) return "bash";
    return name;
}

}  // namespace husk::parse
