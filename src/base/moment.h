// Moments: now, and as people write them, in milliseconds since 1970.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace husk::text {

// Nanoseconds since 1970.
uint64_t now_ns();

// "2h" is two hours before `now`; "2026-11-15", "2026-11-15 14:30" and "2026-11-15T14:30:05" are
// local time, with a Z behind them UTC; a number of twelve digits or more is milliseconds since
// 1970.
std::optional<int64_t> parse_moment(std::string_view text, int64_t now);

// "2026-11-15 14:30:05", local time.
std::string format_moment(int64_t moment);

}  // namespace husk::text
