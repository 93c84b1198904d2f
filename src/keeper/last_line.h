// The line that ends a log, for whoever reads the file alone. Its words come with the plan.
#pragma once

#include "wire.h"

namespace last_line {

struct Line {
    const char* text;
    unsigned size;  // 0: there is none
};

// For a command that ended with this wait status. `end` is that of the plan's message. The text is
// good until the next one is made.
Line of(const husk::wire::Plan& plan, const char* end, int wait_status);

}  // namespace last_line
