#include "base/misleading.h"

#include <algorithm>

namespace husk::text {

bool is_misleading(char32_t code) {
    struct Range {
        char32_t first;
        char32_t last;
    };
    constexpr Range ranges[] = {{0x00, 0x1F},     {0x7F, 0x9F},      {0xAD, 0xAD},
                                {0x61C, 0x61C},   {0x180E, 0x180E},  {0x200B, 0x200F},
                                {0x2028, 0x202E}, {0x2060, 0x206F},  {0xFEFF, 0xFEFF},
                                {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF}};
    return std::ranges::any_of(
        ranges, [&](const Range& one) { return code >= one.first && code <= one.last; });
}

}  // namespace husk::text
