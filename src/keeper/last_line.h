// The line that ends a log, for whoever reads the file alone. Its words come with the plan.
#pragma once

#include "record.h"
#include "wire.h"

namespace last_line {

struct Line {
    const char* text;
    unsigned size;  // 0: there is none
};

// For a command that ended as its record says. `end` is that of the plan's message. The text is
// good until the next one is made.
Line of(const husk::wire::Plan& plan, const char* end, const husk::record::Record& record);

}  // namespace last_line
