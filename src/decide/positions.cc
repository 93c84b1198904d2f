#include "decide/positions.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace husk::decide {
namespace {

constexpr size_t word_bits = 64;

// Each maybe_space of a text makes two texts of one. They are followed together and nearly always
// end up at the same positions. Beyond these bounds the answer is "not surely".
constexpr size_t most_ways = 64;
constexpr size_t most_extra_steps = 4096;

void set(uint64_t* bits, size_t at) { bits[at / word_bits] |= uint64_t{1} << (at % word_bits); }

bool is_none(const std::vector<uint64_t>& bits) {
    return std::ranges::all_of(bits, [](uint64_t word) { return word == 0; });
}

// Adds the chosen positions, `by` further on.
void add_shifted(std::vector<uint64_t>& at, const std::vector<uint64_t>& chosen, size_t by) {
    uint64_t carry = 0;
    for (size_t i = 0; i < at.size(); ++i) {
        const uint64_t moved = at[i] & chosen[i];
        at[i] |= moved << by | carry;
        carry = moved >> (word_bits - by);
    }
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

bool is_star(char16_t symbol) { return symbol == any_text || symbol == any_segment; }

}  // namespace

Positions::Positions(const Letters& pattern)
    : size_(pattern.size()), words_(size_ / word_bits + 1) {
    start_ = over_unknown_ = skips_one_ = skips_two_ = Bits(words_, 0);
    add_masks(pattern, 0xffff);
    for (const char16_t letter : u"/ :" + pattern) {
        if (letter >= place_.size() || place_[letter] != 0) continue;
        place_[letter] = static_cast<uint16_t>(masks_.size() / words_ / 2);
        add_masks(pattern, letter);
    }
    size_t run = 0;
    for (size_t i = 0; i < size_; ++i) {
        if (pattern[i] == any_text) set(over_unknown_.data(), i);
        if (is_star(pattern[i])) set(skips_one_.data(), i);
        if (pattern[i] == maybe_space) set(skips_two_.data(), i);
        has_maybe_ |= pattern[i] == maybe_space;
        run = is_star(pattern[i]) || pattern[i] == maybe_space ? run + 1 : 0;
        longest_skip_ = std::max(longest_skip_, run);
    }
    ends_open_ = pattern.ends_with(any_text);
    set(start_.data(), 0);
    close(start_);
}

void Positions::add_masks(const Letters& pattern, char16_t letter) {
    const size_t go = masks_.size();
    masks_.resize(go + 2 * words_, 0);
    for (size_t i = 0; i < size_; ++i)
        if (reads(pattern[i], letter))
            set(masks_.data() + go + (is_star(pattern[i]) ? words_ : 0), i);
}

// Adds all positions that can be reached without reading.
void Positions::close(Bits& at) const {
    for (size_t i = 0; i < longest_skip_; ++i) {
        add_shifted(at, skips_one_, 1);
        if (has_maybe_) add_shifted(at, skips_two_, 2);
    }
}

void Positions::step(Bits& at, char16_t letter) const {
    const size_t place = letter < place_.size() ? place_[letter] : 0;
    const uint64_t* go = masks_.data() + place * words_ * 2;
    const uint64_t* stay = go + words_;
    uint64_t carry = 0;
    for (size_t i = 0; i < words_; ++i) {
        const uint64_t gone = at[i] & go[i];
        at[i] = (at[i] & stay[i]) | gone << 1 | carry;
        carry = gone >> (word_bits - 1);
    }
    close(at);
}

void Positions::step_over_unknown(Bits& at, Unknown unknown) const {
    if (unknown == Unknown::MustBeCovered) {
        for (size_t i = 0; i < at.size(); ++i) at[i] &= over_unknown_[i];
        return close(at);
    }
    // A pattern is a chain: some text leads from the first position to every later one.
    const auto first = std::ranges::find_if(at, [](uint64_t word) { return word != 0; });
    if (first == at.end()) return;
    *first = ~uint64_t{0} << std::countr_zero(*first);
    std::fill(first + 1, at.end(), ~uint64_t{0});
}

bool Positions::is_at_end(const Bits& at) const {
    return (at[size_ / word_bits] >> (size_ % word_bits) & 1) != 0;
}

// Whatever follows, the pattern matches.
bool Positions::is_settled(const Bits& at) const {
    const size_t last = size_ - 1;
    return ends_open_ && (at[last / word_bits] >> (last % word_bits) & 1) != 0;
}

// A space that may be there makes another way of each.
void Positions::step_all(std::vector<Bits>& ways, char16_t letter) const {
    const size_t count = ways.size();
    for (size_t k = 0; k < count; ++k) {
        if (letter == maybe_space) {
            Bits with = ways[k];
            step(with, u' ');
            step_over_unknown(with, Unknown::MustBeCovered);
            ways.push_back(std::move(with));
        } else if (letter == any_text) {
            step_over_unknown(ways[k], Unknown::MustBeCovered);
        } else {
            step(ways[k], letter);
        }
    }
}

bool Positions::covers(const Letters& text) const {
    std::vector<Bits> ways = {start_};
    size_t extra_steps = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        step_all(ways, text[i]);
        if (text[i] == maybe_space) ++i;  // its any_text is dealt with
        if (std::ranges::any_of(ways, is_none)) return false;
        if (ways.size() > 1) {
            std::ranges::sort(ways);
            const auto again = std::ranges::unique(ways);
            ways.erase(again.begin(), again.end());
            extra_steps += ways.size() - 1;
            if (ways.size() > most_ways || extra_steps > most_extra_steps) return false;
        }
        if (ways.size() == 1 && is_settled(ways.front())) return true;
    }
    return std::ranges::all_of(ways, [&](const Bits& at) { return is_at_end(at); });
}

bool Positions::meets(const Letters& text) const {
    Bits at = start_;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == maybe_space) {
            Bits after = at;
            step(after, u' ');
            step_over_unknown(after, Unknown::MayBeAnything);
            for (size_t k = 0; k < at.size(); ++k) at[k] |= after[k];
            ++i;
        } else if (text[i] == any_text) {
            step_over_unknown(at, Unknown::MayBeAnything);
        } else {
            step(at, text[i]);
        }
        if (is_none(at)) return false;
        if (is_settled(at)) return true;
    }
    return is_at_end(at);
}

}  // namespace husk::decide
