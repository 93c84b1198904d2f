// The ends of commands that nobody has recorded: what the spool says.
#pragma once

#include <husk/bash.h>

#include "record/later.h"
#include "tool/read_shell.h"

namespace husk::tool {

// The record of the end of a shell, if it has ended; else empty.
std::string end_record_of(const KnownShell& shell);

// For two seconds after its end, a shell counts as one whose caller is about to record the end.
audit::Later what_became_of(const Settings& settings, const std::string& shell_id);

}  // namespace husk::tool
