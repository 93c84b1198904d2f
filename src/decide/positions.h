// Follows a text through a pattern: at which positions of the pattern the next letter may be read.
// All positions are kept as bits and move together, so a letter costs the same for every pattern
// of up to 64 symbols.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace husk::decide {

using Letters = std::u16string;

constexpr char16_t any_text = 0x100;        // any text, also none
constexpr char16_t any_segment = 0x101;     // the same without a slash
constexpr char16_t any_letter = 0x102;      // one, but no slash
constexpr char16_t space_or_colon = 0x103;  // in patterns
constexpr char16_t maybe_space = 0x104;     // it and the any_text behind it: both, or nothing

class Positions {
public:
    explicit Positions(const Letters& pattern);

    bool covers(const Letters& text) const;
    bool meets(const Letters& text) const;

private:
    using Bits = std::vector<uint64_t>;
    enum class Unknown : uint8_t { MustBeCovered, MayBeAnything };

    void add_masks(const Letters& pattern, char16_t letter);
    void close(Bits& at) const;
    void step(Bits& at, char16_t letter) const;
    void step_over_unknown(Bits& at, Unknown unknown) const;
    void step_all(std::vector<Bits>& ways, char16_t letter) const;
    bool is_at_end(const Bits& at) const;
    bool is_settled(const Bits& at) const;

    size_t size_;  // of the pattern; one more position for its end
    size_t words_;
    // For each letter the place of its masks in masks_: the positions that read it and go on, then
    // those that read it and stay. Letters without an own place have the first.
    std::array<uint16_t, 256> place_ = {};
    std::vector<uint64_t> masks_;
    Bits start_;
    Bits over_unknown_;        // any_text
    Bits skips_one_;           // may be left out
    Bits skips_two_;           // maybe_space, which may be left out with the any_text behind it
    size_t longest_skip_ = 0;  // so many symbols in a row may be left out
    bool has_maybe_ = false;
    bool ends_open_ = false;  // the last symbol is any_text
};

}  // namespace husk::decide
