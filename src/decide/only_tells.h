// Calls of dangerous programs that change nothing.
#pragma once

#include "parse/script.h"

namespace husk::decide {

// mount alone, reboot --help, passwd -S, modprobe -n x: it answers a question and does no more.
bool only_tells(const parse::Command& command);

}  // namespace husk::decide
