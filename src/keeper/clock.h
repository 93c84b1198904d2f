#pragma once

#include <linux/time.h>
#include <stdint.h>

#include "sys.h"

namespace keeper_clock {

inline constexpr uint64_t millisecond = 1'000'000;
inline constexpr uint64_t never = ~uint64_t{0};

inline uint64_t read(int clock) {
    sys::Time now{};
    sys::clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.seconds) * 1'000'000'000 +
           static_cast<uint64_t>(now.nanoseconds);
}
inline uint64_t monotonic() { return read(CLOCK_MONOTONIC); }
inline uint64_t realtime() { return read(CLOCK_REALTIME); }

// A moment `ms` from `now`; 0 means never.
inline uint64_t after(uint64_t now, uint64_t ms) {
    return ms == 0 ? never : now + ms * millisecond;
}

inline bool is_over(uint64_t moment, uint64_t now) { return moment != never && now >= moment; }

inline uint64_t earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }

}  // namespace keeper_clock
