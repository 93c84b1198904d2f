// The capabilities of this process.
#pragma once

namespace husk::os {

// Whether it may use this one (CAP_SYS_ADMIN ...), in the user namespace that it is in.
bool has_capability(int capability);

}  // namespace husk::os
