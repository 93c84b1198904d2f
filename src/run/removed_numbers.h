// Numbers of a session whose files were removed: no id is given twice.
#pragma once

#include <cstdint>

#include "os/fd.h"

namespace husk::run {

// The highest of them; 0 where there is none.
uint64_t highest_removed(const os::Fd& session_dir);

// To be said before the files are removed. False: it could not be written.
bool note_removed(const os::Fd& session_dir, uint64_t number);

}  // namespace husk::run
