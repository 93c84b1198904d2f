// Errors of a system that has run out of something. They say nothing about the file or process that
// was asked for.
#pragma once

#include <cerrno>

namespace husk::os {

inline bool is_shortage(int code) { return code == EMFILE || code == ENFILE || code == ENOMEM; }

}  // namespace husk::os
