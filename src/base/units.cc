#include "base/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace husk::text {
namespace {

struct Amount {
    uint64_t whole;
    uint64_t fraction;  // of `scale`
    uint64_t scale;
    std::string_view unit;
};

struct Unit {
    std::string_view name;
    uint64_t factor;
};

// More digits after the point than anybody means, and few enough for the sums below.
constexpr size_t most_decimals = 6;

std::optional<uint64_t> take_number(std::string_view& text) {
    uint64_t number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
    return number;
}

std::optional<Amount> read_amount(std::string_view text) {
    const auto whole = take_number(text);
    if (!whole) return std::nullopt;
    if (!text.starts_with('.')) return Amount{*whole, 0, 1, text};
    text.remove_prefix(1);
    const size_t before = text.size();
    const auto fraction = take_number(text);
    const size_t decimals = before - text.size();
    if (!fraction || decimals > most_decimals) return std::nullopt;
    uint64_t scale = 1;
    for (size_t i = 0; i < decimals; ++i) scale *= 10;
    return Amount{*whole, *fraction, scale, text};
}

// Rounded up to a whole number.
std::optional<uint64_t> times(const Amount& amount, uint64_t factor) {
    const uint64_t part = (amount.fraction * factor + amount.scale - 1) / amount.scale;
    uint64_t product = 0;
    if (__builtin_mul_overflow(amount.whole, factor, &product)) return std::nullopt;
    if (__builtin_add_overflow(product, part, &product)) return std::nullopt;
    return product;
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return result;
}

// The power of 1024 that a unit stands for: "", "k", "kb" and "kib" and so on.
std::optional<uint64_t> size_factor(std::string_view unit) {
    constexpr std::string_view letters = "kmgt";
    if (unit.empty() || unit == "b") return 1;
    const size_t power = letters.find(unit[0]);
    const std::string_view rest = unit.substr(1);
    if (power == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib"))
        return std::nullopt;
    return uint64_t{1} << (10 * (power + 1));
}

std::string tenths_of(uint64_t tenths) {
    const std::string whole = std::to_string(tenths / 10);
    return tenths % 10 == 0 ? whole : whole + "." + std::to_string(tenths % 10);
}

std::string two_units(uint64_t smaller, uint64_t factor, const char* large, const char* small) {
    const std::string text = std::to_string(smaller / factor) + " " + large;
    if (smaller % factor == 0) return text;
    return text + " " + std::to_string(smaller % factor) + " " + small;
}

}  // namespace

std::optional<uint64_t> parse_number(std::string_view text) {
    const auto number = take_number(text);
    return text.empty() ? number : std::nullopt;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
    static constexpr std::array<Unit, 7> units = {{{"", 1000},
                                                   {"ms", 1},
                                                   {"s", 1000},
                                                   {"m", 60'000},
                                                   {"min", 60'000},
                                                   {"h", 3'600'000},
                                                   {"d", 86'400'000}}};
    const auto amount = read_amount(text);
    if (!amount) return std::nullopt;
    const auto* unit = std::ranges::find(units, amount->unit, &Unit::name);
    if (unit == units.end()) return std::nullopt;
    const auto milliseconds = times(*amount, unit->factor);
    if (!milliseconds || *milliseconds > static_cast<uint64_t>(longest_duration.count()))
        return std::nullopt;
    return std::chrono::milliseconds(*milliseconds);
}

std::optional<uint64_t> parse_size(std::string_view text) {
    const auto amount = read_amount(text);
    if (!amount) return std::nullopt;
    const auto factor = size_factor(lower(amount->unit));
    const bool half_a_byte = factor == 1 && amount->scale > 1;
    if (!factor || half_a_byte) return std::nullopt;
    return times(*amount, *factor);
}

std::string format_duration(std::chrono::milliseconds duration) {
    const auto ms = static_cast<uint64_t>(std::max(duration.count(), int64_t{0}));
    if (ms < 1000) return std::to_string(ms) + " ms";
    const uint64_t tenths = (ms + 50) / 100;
    if (tenths < 600) return tenths_of(tenths) + " s";
    const uint64_t seconds = (ms + 500) / 1000;
    if (seconds < 3600) return two_units(seconds, 60, "min", "s");
    const uint64_t minutes = (seconds + 30) / 60;
    if (minutes < 24 * 60) return two_units(minutes, 60, "h", "min");
    return two_units((minutes + 30) / 60, 24, "d", "h");
}

std::string format_size(uint64_t bytes) {
    if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    static constexpr std::array<const char*, 6> names = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    // The last unit holds every number; before it, what rounds to 1024 belongs to the next one.
    for (size_t i = 0;; ++i) {
        const uint64_t unit = uint64_t{1} << (10 * (i + 1));
        const uint64_t rest = bytes % unit;
        const uint64_t tenths = bytes / unit * 10 + (rest / 2 * 10 + unit / 4) / (unit / 2);
        if (tenths < 10'240 || i + 1 == names.size()) return tenths_of(tenths) + " " + names[i];
    }
}

}  // namespace husk::text
