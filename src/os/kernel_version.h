#pragma once

namespace husk::os {

// Of the running kernel, as uname has it.
bool kernel_is_at_least(int major, int minor);

}  // namespace husk::os
