// The process that a session's keepers are forked from. It is born with one socket, lives
// while it has a client or a command (what commands left behind only for a time), and writes off
// the records of keepers that were killed.
#pragma once

namespace nursery {

[[noreturn]] void live();

}  // namespace nursery
