#include "decide/expansion.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/names.h"
#include "decide/path.h"

namespace husk::decide {
namespace {

using parse::Piece;
using parse::Word;

constexpr std::string_view digits = "0123456789";
constexpr std::string_view glob_letters = "*?";

// What stands behind the name in ${name...}; "" for $name.
std::string_view behind_name(const Piece& variable) {
    std::string_view text = variable.text;
    if (!text.starts_with("${")) return {};
    text.remove_prefix(2);
    text.remove_suffix(text.ends_with('}') ? 1 : 0);
    return text.starts_with(variable.name) ? text.substr(variable.name.size()) : "#changed";
}

Word parsed(std::string_view text) {
    const parse::Script script = parse::parse("x " + std::string(text));
    const bool one_word =
        !script.error && script.commands.size() == 1 && script.commands[0].words.size() == 2;
    return one_word ? script.commands[0].words[1] : Word{};
}

Piece text_piece(std::string_view text) {
    return {.kind = Piece::Kind::Text, .text = std::string(text), .quoted = true};
}

// Text in which * and ? have become globs.
void add_globs(std::vector<Piece>& pieces, std::string_view text) {
    while (!text.empty()) {
        const size_t glob = std::min(text.find_first_of(glob_letters), text.size());
        if (glob > 0) pieces.push_back(text_piece(text.substr(0, glob)));
        if (glob < text.size())
            pieces.push_back(
                {.kind = Piece::Kind::Glob, .text = std::string(1, text[glob]), .quoted = false});
        text.remove_prefix(std::min(glob + 1, text.size()));
    }
}

}  // namespace

Expansion expansion_of(const Piece& variable) {
    using enum Expansion::Part;
    if (variable.text == "${!" + variable.name + "}") return {.part = Named};
    const std::string_view rest = behind_name(variable);
    if (rest.empty() || rest == "[@]" || rest == "[*]") return {};
    if (rest.starts_with('?') || rest.starts_with(":?")) return {};
    if (rest.starts_with('[')) {
        const std::string_view number = rest.substr(1, rest.size() - 2);
        const bool known = !number.empty() && number.size() < 4 && rest.ends_with(']') &&
                           number.find_first_not_of(digits) == std::string_view::npos;
        return known ? Expansion{.part = Element, .element = std::stoul(std::string(number))}
                     : Expansion{.part = Changed};
    }
    const std::string_view operation = rest.substr(rest.starts_with(':') ? 1 : 0);
    const bool is_alternative = operation.starts_with('+');
    if (!is_alternative && !operation.starts_with('-') && !operation.starts_with('='))
        return {.part = Changed};
    return {.part = is_alternative ? Alternative : Default,
            .element = 0,
            .otherwise = parsed(operation.substr(1))};
}

bool can_be_kept(const Piece& piece) {
    switch (piece.kind) {
        case Piece::Kind::Text:
        case Piece::Kind::Tilde:
        case Piece::Kind::Glob: return true;
        case Piece::Kind::Variable:
            return piece.text == "$" + piece.name ? is_one_of(piece.name, "HOME PWD")
                                                  : is_one_of(piece.text, "${HOME} ${PWD}");
        case Piece::Kind::Substitution:
            return names_working_directory(piece) || names_top_directory(piece);
        default: return false;
    }
}

std::vector<Piece> used_as(const Word& value, bool quoted, bool is_list) {
    std::vector<Piece> pieces;
    for (const Piece& piece : value.pieces) {
        if (is_list || (piece.kind != Piece::Kind::Text && piece.kind != Piece::Kind::Glob))
            pieces.push_back(piece);
        else if (quoted)
            pieces.push_back(text_piece(piece.text));
        else
            add_globs(pieces, piece.text);
    }
    if (pieces.empty()) pieces.push_back(text_piece(""));
    return pieces;
}

std::vector<Word> cut_at_blanks(const Word& word) {
    constexpr std::string_view blanks = " \t\n";
    std::vector<Word> words;
    bool open = false;  // the last word goes on
    const auto add = [&](Piece piece) {
        if (!open) words.push_back({.pieces = {}, .range = word.range});
        words.back().pieces.push_back(std::move(piece));
        open = true;
    };
    for (const Piece& piece : word.pieces) {
        if (piece.kind != Piece::Kind::Text) {
            add(piece);
            continue;
        }
        std::string_view rest = piece.text;
        while (!rest.empty()) {
            const size_t end = std::min(rest.find_first_of(blanks), rest.size());
            if (end > 0) add(text_piece(rest.substr(0, end)));
            if (end < rest.size()) open = false;
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return words;
}

std::vector<Word> combined(const std::vector<Word>& beginnings,
                           const std::vector<std::vector<Piece>>& ends) {
    std::vector<Word> all;
    for (const Word& beginning : beginnings) {
        for (const std::vector<Piece>& end : ends) {
            if (all.size() == most_words) return all;
            all.push_back(beginning);
            all.back().pieces.insert(all.back().pieces.end(), end.begin(), end.end());
        }
    }
    return all;
}

Word known_word(std::string text) {
    return {.pieces = {{.kind = Piece::Kind::Text, .text = std::move(text), .quoted = true}},
            .range = {}};
}

}  // namespace husk::decide
