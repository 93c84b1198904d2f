// Whether the audit is as it was written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/removed.h"

namespace husk::audit {

struct Proof {
    uint64_t files = 0;
    uint64_t records = 0;
    uint64_t torn = 0;                // lines that somebody was stopped in the middle of
    std::vector<std::string> broken;  // "000002.jsonl:17: ...", a hundred at most
    uint64_t broken_total = 0;
    std::string last;  // the digest at the end: whoever keeps it elsewhere can tell a cut-off end
    bool from_the_start = true;  // else the oldest files have been removed
    Removed removed;             // as the newest file says it
};

Result<Proof> verify(const std::filesystem::path& state);

}  // namespace husk::audit
