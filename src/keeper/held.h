// Memory that a tree has and that no process shows as its own: files without a name in a tmpfs
// (memfd), System V segments, message queues and semaphores, what waits in unix sockets, and page
// tables.
#pragma once

#include <stdint.h>

namespace held {

// Where the keepers of a session agree on which of them asks about sockets (sockets::claim).
void ask_with(int32_t* asker);

// Bytes of all processes in proc::kin. Objects that came before `since` (seconds since 1970) and
// need no process belong to others.
uint64_t measure(uint64_t since);

// How much of what was measured this process shows as its own too, because it has it mapped.
uint64_t mapped_by(int pid);

// Page tables are a 512th of what is mapped at most, so smaller processes are not looked at.
inline constexpr uint64_t large_process = uint64_t{2} << 30;
uint64_t page_tables_of(int pid);

}  // namespace held
