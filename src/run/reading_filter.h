// The wall around a bash that only reads a script.
#pragma once

#include <linux/filter.h>

#include <vector>

#include "base/result.h"

namespace husk::run {

// A seccomp program for `bash -n`. It lists the system calls that reading takes, and nothing else
// exists: no process can be made, no file opened for writing, no socket made, no signal sent and
// no attribute changed. The exec by descriptor that starts the program is let through.
Result<std::vector<sock_filter>> reading_filter();

}  // namespace husk::run
