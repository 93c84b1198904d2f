// Numbers, durations and sizes, as people write and read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace husk::text {

// Far more than anybody waits for, and little enough to be added to any clock.
inline constexpr std::chrono::milliseconds longest_duration = std::chrono::days(36'500);

// Nothing but digits.
std::optional<uint64_t> parse_number(std::string_view text);

// "500ms", "30s", "1.5m" (or "min"), "1h", "2d"; a plain number is seconds. Less than a
// millisecond is rounded up, so that only zero is zero.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

// "30000", "256K", "64MB", "1.5GiB", "1t": powers of 1024, in any case.
std::optional<uint64_t> parse_size(std::string_view text);

std::string format_duration(std::chrono::milliseconds duration);  // "12 ms" "1.2 s" "3 min 5 s"
std::string format_size(uint64_t bytes);                          // "1 byte" "29.3 KiB" "64 MiB"

}  // namespace husk::text
