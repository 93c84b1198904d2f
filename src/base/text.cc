#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace husk::text {
namespace {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_name_part(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

constexpr bool means_itself(char c) {
    return is_name_part(c) || std::string_view("@%+=:,./-").contains(c);
}

// "name=" and "name+=" at the start of a command do not name a program.
bool looks_like_assignment(std::string_view word) {
    const size_t equals = word.find('=');
    if (equals == std::string_view::npos) return false;
    std::string_view name = word.substr(0, equals);
    if (name.ends_with('+')) name.remove_suffix(1);
    return !name.empty() && !is_digit(name[0]) && std::ranges::all_of(name, is_name_part);
}

bool is_reserved(std::string_view word) {
    static constexpr std::array<std::string_view, 16> reserved = {
        "case", "coproc",   "do", "done",   "elif", "else", "esac",  "fi",
        "for",  "function", "if", "select", "then", "time", "until", "while"};
    return std::ranges::binary_search(reserved, word);
}

// How many letters to add, remove, change or swap with their neighbour; case does not matter.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> before_last(b.size() + 1);
    std::vector<size_t> last(b.size() + 1);
    std::vector<size_t> current(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) current[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        std::swap(before_last, last);
        std::swap(last, current);
        current[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            current[j] = std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                                 lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 1);
        }
    }
    return current[b.size()];
}

}  // namespace

std::string join(std::span<const std::string> parts, std::string_view separator) {
    std::string joined;
    for (const std::string& part : parts) {
        if (&part != parts.data()) joined += separator;
        joined += part;
    }
    return joined;
}

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::string quote(std::string_view word) {
    const bool literal = !word.empty() && std::ranges::all_of(word, means_itself) &&
                         !looks_like_assignment(word) && !is_reserved(word);
    if (literal) return std::string(word);
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted + "'";
}

std::string quote_words(std::span<const std::string> words) {
    std::vector<std::string> quoted;
    quoted.reserve(words.size());
    for (const std::string& word : words) quoted.push_back(quote(word));
    return join(quoted, " ");
}

std::string closest(std::string_view word, std::span<const std::string_view> candidates) {
    std::string_view best;
    size_t best_distance = 0;
    for (const std::string_view candidate : candidates) {
        const size_t shorter = std::min(word.size(), candidate.size());
        const size_t longer = std::max(word.size(), candidate.size());
        const size_t tolerated = longer / 3;
        if (longer - shorter > tolerated) continue;  // also spares measuring a huge word
        const size_t away = distance(word, candidate);
        if (away > tolerated || (!best.empty() && away >= best_distance)) continue;
        best = candidate;
        best_distance = away;
    }
    return std::string(best);
}

}  // namespace husk::text
