// Processes by descriptor, and the one way this library makes one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "base/result.h"
#include "os/fd.h"

namespace husk::os {

// A process that cannot turn into another one while we hold this.
Result<Fd> open_process(pid_t pid);

// A signal with a value (sigqueue), to exactly that process.
Result<void> send_signal(const Fd& process, int signal, uint64_t value);
bool has_ended(const Fd& process);

// The program `image` as a file that can be executed and no longer written.
Result<Fd> program_file(std::string_view image);

// Runs the program with the descriptors 0, 1, 2 = `null` and 3 = `socket` and nothing else,
// as the leader of a session of its own in "/". It is nobody's child when this returns: the
// embedding program sees neither a SIGCHLD nor something to wait for.
Result<void> start_detached(const Fd& program, const char* name, const Fd& null, const Fd& socket);

}  // namespace husk::os
