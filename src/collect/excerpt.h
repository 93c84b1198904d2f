// The beginning and the end of a stream that is too long to show, and what is said in between.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace husk::collect {

using ByteRange = std::pair<uint64_t, uint64_t>;  // [first, second) of the stream

// [0, head_end) and [tail_start, stored_end) can be read; `total` bytes were written.
struct Kept {
    uint64_t head_end;
    uint64_t tail_start;
    uint64_t stored_end;
    uint64_t total;
};

// What to read of the bytes from `since` on: all that is kept, if it fits the budget; else the
// first 20 % and the last 80 % of the budget. In order, apart from each other, never empty.
std::vector<ByteRange> plan_excerpt(const Kept& kept, uint64_t budget, uint64_t since = 0);

// A planned range as it was read, perhaps in part.
struct Part {
    uint64_t at;
    std::string_view bytes;
};

enum class Look {
    Raw,
    Plain,  // as a terminal would show it, each part on its own
};

struct Cut {
    ByteRange asked;                // what the parts were taken from: usually {0, total}
    std::optional<uint64_t> lines;  // newlines in all of that, if they are known
    Look look;
    std::function<std::string(const ByteRange& left_out)> hint;  // how to get what is left out
};

struct Shown {
    std::string text;
    std::vector<ByteRange> ranges;  // of the stream, exactly as in the text
};

// Joins the parts with one line for each gap: "[... 4096 bytes, 12 lines left out; the hint]".
// A part next to a gap is trimmed to whole lines if that costs at most a quarter of it, else to
// whole characters.
Shown assemble(std::span<const Part> parts, const Cut& cut);

}  // namespace husk::collect
