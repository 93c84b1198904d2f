// Brace expansion: text only, done by bash before everything else, and so known to us.
#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "parse/letters.h"
#include "parse/parser.h"

namespace husk::parse {
namespace {

// A letter that stands unquoted, or a piece that braces take as it is.
struct Atom {
    char letter = '\0';
    const Piece* piece = nullptr;
    bool is(char wanted) const { return piece == nullptr && letter == wanted; }
};
using Atoms = std::vector<Atom>;

constexpr size_t most_braces = 64;

struct Pair {
    size_t open = 0;
    size_t close = 0;
    std::vector<size_t> commas;
    std::vector<std::string> sequence;
};

// The ends of a sequence, first..last..step.
struct Ends {
    std::string first;
    std::string last;
    long step = 1;
};

bool read_whole(const std::string& digits, long& value) {
    constexpr size_t most_digits = 9;
    const char* start = digits.data() + (digits.starts_with('+') ? 1 : 0);
    const char* stop = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(start, stop, value);
    return digits.size() <= most_digits && start != stop && error == std::errc() && end == stop;
}

std::optional<Ends> ends_of(const std::string& text) {
    const size_t dots = text.find("..");
    if (dots == std::string::npos || dots == 0) return std::nullopt;
    Ends ends{text.substr(0, dots), text.substr(dots + 2)};
    if (const size_t more = ends.last.find(".."); more != std::string::npos) {
        if (!read_whole(ends.last.substr(more + 2), ends.step)) return std::nullopt;
        ends.last.resize(more);
        ends.step = std::max(1L, std::labs(ends.step));
    }
    return ends;
}

bool is_letter(const std::string& text) {
    return text.size() == 1 && is_name_start(text[0]) && text[0] != '_';
}

bool is_padded(const std::string& digits) {
    const size_t sign = digits.starts_with('-') ? 1 : 0;
    return digits.size() > sign + 1 && digits[sign] == '0';
}

std::string padded(long number, size_t width) {
    std::string digits = std::to_string(std::labs(number));
    const size_t sign = number < 0 ? 1 : 0;
    if (digits.size() + sign < width) digits.insert(0, width - sign - digits.size(), '0');
    return (number < 0 ? "-" : "") + digits;
}

// 1..5, a..e, 1..9..2, 01..10; nothing when it is none. One more than `most` is enough.
std::vector<std::string> sequence_of(const std::string& text, size_t most) {
    const auto ends = ends_of(text);
    if (!ends) return {};
    const bool letters = is_letter(ends->first) && is_letter(ends->last);
    long first = letters ? ends->first[0] : 0;
    long last = letters ? ends->last[0] : 0;
    if (!letters && (!read_whole(ends->first, first) || !read_whole(ends->last, last))) return {};
    const bool wide = !letters && (is_padded(ends->first) || is_padded(ends->last));
    const size_t width = wide ? std::max(ends->first.size(), ends->last.size()) : 0;
    const long step = first <= last ? ends->step : -ends->step;
    std::vector<std::string> result;
    for (long now = first; first <= last ? now <= last : now >= last; now += step) {
        result.push_back(letters ? std::string(1, static_cast<char>(now)) : padded(now, width));
        if (result.size() > most) break;
    }
    return result;
}

// The braces that open there, if they close and mean something.
std::optional<Pair> pair_at(const Atoms& atoms, size_t open, size_t most) {
    Pair pair;
    pair.open = open;
    size_t depth = 0;
    bool plain = true;
    std::string text;
    for (size_t at = open + 1; at < atoms.size() && pair.close == 0; ++at) {
        const Atom& atom = atoms[at];
        if (atom.is('}') && depth == 0) pair.close = at;
        if (atom.is('{')) ++depth;
        if (atom.is('}') && depth > 0) --depth;
        if (atom.is(',') && depth == 0) pair.commas.push_back(at);
        plain = plain && atom.piece == nullptr && depth == 0;
        if (plain && pair.close == 0) text += atom.letter;
    }
    if (pair.close == 0) return std::nullopt;
    if (pair.commas.empty() && plain) pair.sequence = sequence_of(text, most);
    if (pair.commas.empty() && pair.sequence.empty()) return std::nullopt;
    return pair;
}

std::optional<Pair> find_pair(const Atoms& atoms, size_t most) {
    for (size_t open = 0; open < atoms.size(); ++open) {
        if (!atoms[open].is('{')) continue;
        if (auto pair = pair_at(atoms, open, most)) return pair;
    }
    return std::nullopt;
}

Atoms joined(const Atoms& a, const Atoms& b, const Atoms& c) {
    Atoms all = a;
    all.insert(all.end(), b.begin(), b.end());
    all.insert(all.end(), c.begin(), c.end());
    return all;
}

// False when there are more than `most`.
bool expand(const Atoms& atoms, size_t most, std::vector<Atoms>& into) {
    const auto pair = find_pair(atoms, most);
    if (!pair) {
        into.push_back(atoms);
        return into.size() <= most;
    }
    const auto at = [&](size_t i) { return atoms.begin() + static_cast<std::ptrdiff_t>(i); };
    const Atoms before(atoms.begin(), at(pair->open));
    const Atoms behind(at(pair->close + 1), atoms.end());
    std::vector<Atoms> choices;
    for (const std::string& item : pair->sequence) {
        Atoms choice;
        for (const char letter : item) choice.push_back({letter, nullptr});
        choices.push_back(std::move(choice));
    }
    size_t start = pair->open + 1;
    if (!pair->commas.empty()) {
        for (const size_t comma : pair->commas) {
            choices.emplace_back(at(start), at(comma));
            start = comma + 1;
        }
        choices.emplace_back(at(start), at(pair->close));
    }
    std::vector<Atoms> endings;
    if (!expand(behind, most, endings)) return false;
    for (const Atoms& choice : choices) {
        std::vector<Atoms> inner;
        if (!expand(choice, most, inner)) return false;
        for (const Atoms& one : inner) {
            for (const Atoms& ending : endings) into.push_back(joined(before, one, ending));
            if (into.size() > most) return false;
        }
    }
    return true;
}

// {~,x} has a tilde where a word begins, after all.
void find_tilde(Word& word) {
    if (word.pieces.empty()) return;
    Piece& first = word.pieces.front();
    if (first.kind != Piece::Kind::Text || first.quoted || !first.text.starts_with('~')) return;
    const size_t slash = std::min(first.text.find('/'), first.text.size());
    if (slash == first.text.size() && word.pieces.size() > 1) return;
    Piece tilde{Piece::Kind::Tilde, first.text.substr(0, slash), false, {}};
    first.text.erase(0, slash);
    if (first.text.empty()) word.pieces.erase(word.pieces.begin());
    word.pieces.insert(word.pieces.begin(), std::move(tilde));
}

Word word_of(const Atoms& atoms, const Range& range) {
    Word word;
    word.range = range;
    for (const Atom& atom : atoms) {
        if (atom.piece == nullptr)
            add_text(word, {&atom.letter, 1}, false);
        else if (atom.piece->kind == Piece::Kind::Text)
            add_text(word, atom.piece->text, atom.piece->quoted);
        else
            word.pieces.push_back(*atom.piece);
    }
    find_tilde(word);
    return word;
}

}  // namespace

std::optional<std::vector<Word>> expand_braces(const Word& word, size_t most) {
    size_t braces = 0;
    for (const Piece& piece : word.pieces)
        if (piece.kind == Piece::Kind::Text && !piece.quoted)
            braces += static_cast<size_t>(std::ranges::count(piece.text, '{'));
    if (braces == 0) return std::nullopt;
    Atoms atoms;
    for (const Piece& piece : word.pieces) {
        if (piece.kind != Piece::Kind::Text || piece.quoted) {
            atoms.push_back({'\0', &piece});
            continue;
        }
        for (const char letter : piece.text) atoms.push_back({letter, nullptr});
    }
    if (braces <= most_braces && !find_pair(atoms, most)) return std::nullopt;
    std::vector<Atoms> all;
    std::vector<Word> words;
    if (braces > most_braces || !expand(atoms, most, all)) {
        Word unknown = word;
        for (Piece& piece : unknown.pieces)
            if (piece.kind == Piece::Kind::Text && !piece.quoted) piece.kind = Piece::Kind::Braces;
        words.push_back(std::move(unknown));
        return words;
    }
    for (const Atoms& one : all) {
        Word made = word_of(one, word.range);
        if (!made.pieces.empty()) words.push_back(std::move(made));  // {,a} gives one word
    }
    return words;
}

}  // namespace husk::parse
