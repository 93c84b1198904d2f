// Why walls cannot be had, before anything is tried.
#pragma once

#include "base/result.h"
#include "confine/wanted.h"
#include "os/fd.h"

namespace husk::confine {

// What this machine lacks for the mode.
Result<void> check_machine(const Wanted& wanted);

// A network that the mode does not have, or cannot keep. In mode open "none" is what a context says
// that says nothing.
Result<void> check_network(Mode mode, const Network& network);

// The directory, if somebody can work there; else what is wrong with it, and what to do.
Result<os::Fd> open_working_directory(const std::filesystem::path& path);

// Directories that are not there, paths that `resolved` refused, and a workspace that would open
// more than anybody means by one.
Result<void> check_workspace(const Wanted& wanted);

// A root that lies in a secret, or that holds one which cannot be withheld on this machine.
Result<void> check_secrets(const Wanted& wanted, const std::vector<std::filesystem::path>& secrets);

}  // namespace husk::confine
