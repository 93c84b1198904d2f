// Why walls cannot be had, before anything is tried.
#pragma once

#include "base/result.h"
#include "confine/wanted.h"

namespace husk::confine {

// What this machine lacks for the mode.
Result<void> check_machine(const Wanted& wanted);

// A workspace that would open more than anybody means by one.
Result<void> check_workspace(const Wanted& wanted);

}  // namespace husk::confine
