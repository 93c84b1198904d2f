// What the audit has let go of. The first line of each file says it of all before, so that nothing
// is gone without a word.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace husk::audit {

struct Removed {
    uint64_t files = 0;    // since the first, without a gap
    uint64_t records = 0;  // in them
    uint64_t early = 0;    // of these records: gone because there were too many, before their time
    int64_t until = 0;     // when the last of them was written, in milliseconds since 1970

    // As it stands in a first line; nothing is {}.
    std::string json() const;
};

// In the first line of a file.
Removed removed_in(std::string_view header);

}  // namespace husk::audit
