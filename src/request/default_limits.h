// What a command may use when nobody says anything else. docs/limits.md is its page.
#pragma once

#include <husk/request.h>

namespace husk {

// What is absent here has no limit.
Limits default_limits();

}  // namespace husk
