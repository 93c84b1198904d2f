#include "contract/uuid.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/units.h"

namespace husk::contract {
namespace {

// A shell's id is six letters of 5 bits each, a dash and a number: 30 and 32 bits. The rest is a
// checksum, so that a UUID that somebody has made up is nobody's, and that two look unlike.
constexpr std::string_view letters = "abcdefghjkmnpqrstuvwxyz23456789";
constexpr size_t letter_count = 6;
constexpr unsigned letter_bits = 5;
constexpr uint64_t version_mask = 0xf000;
constexpr uint64_t version_4 = 0x4000;  // what clients expect that look at it
constexpr uint64_t variant_shift = 62;
constexpr uint64_t variant = 2;

constexpr uint64_t mixed(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

// The checksum where it leaves room for the version.
constexpr uint64_t high_half(uint64_t packed) {
    return (mixed(packed) & ~version_mask) | version_4;
}

// Below the variant there are 62 bits, as many as an id has.
constexpr uint64_t scrambled(uint64_t packed, uint64_t high) {
    return (packed ^ mixed(high)) & ((uint64_t{1} << variant_shift) - 1);
}

std::optional<uint64_t> packed(std::string_view shell_id) {
    if (shell_id.size() < letter_count + 2 || shell_id[letter_count] != '-') return std::nullopt;
    uint64_t session = 0;
    for (const char letter : shell_id.substr(0, letter_count)) {
        const size_t place = letters.find(letter);
        if (place == std::string_view::npos) return std::nullopt;
        session = session << letter_bits | place;
    }
    const auto number = text::parse_number(shell_id.substr(letter_count + 1));
    if (!number || *number > 0xffffffff) return std::nullopt;
    return session << 32 | *number;
}

std::optional<std::string> unpacked(uint64_t value) {
    std::string id(letter_count, ' ');
    uint64_t session = value >> 32;
    for (size_t i = letter_count; i-- > 0; session >>= letter_bits) {
        const uint64_t place = session & ((1U << letter_bits) - 1);
        if (place >= letters.size()) return std::nullopt;
        id[i] = letters[place];
    }
    return id + "-" + std::to_string(value & 0xffffffff);
}

constexpr std::array<size_t, 4> dashes = {8, 13, 18, 23};
constexpr size_t length = 36;

bool is_dash(size_t place) { return std::ranges::find(dashes, place) != dashes.end(); }

}  // namespace

std::string uuid_of(std::string_view shell_id) {
    const auto id = packed(shell_id);
    if (!id) return "";
    const uint64_t high = high_half(*id);
    const uint64_t halves[] = {high, variant << variant_shift | scrambled(*id, high)};
    std::string uuid;
    for (unsigned digit = 0; digit < 32; ++digit) {
        if (is_dash(uuid.size())) uuid += '-';
        uuid += "0123456789abcdef"[halves[digit / 16] >> (60 - 4 * (digit % 16)) & 0xf];
    }
    return uuid;
}

std::optional<std::string> shell_id_of(std::string_view uuid) {
    if (uuid.size() != length) return std::nullopt;
    uint64_t halves[2] = {};
    unsigned digit = 0;
    for (size_t i = 0; i < length; ++i) {
        if (is_dash(i) != (uuid[i] == '-')) return std::nullopt;
        if (is_dash(i)) continue;
        const size_t value = std::string_view("0123456789abcdef").find(uuid[i]);
        if (value == std::string_view::npos) return std::nullopt;
        uint64_t& half = halves[digit++ / 16];
        half = half << 4 | value;
    }
    const uint64_t id = scrambled(halves[1], halves[0]);
    if (halves[1] >> variant_shift != variant || high_half(id) != halves[0]) return std::nullopt;
    return unpacked(id);
}

}  // namespace husk::contract
