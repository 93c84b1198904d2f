// System V objects of the session's IPC namespace, as /proc/sysvipc lists them.
#pragma once

#include <stdint.h>

namespace sysv {

// Memory of the objects that came since then (seconds since 1970) and whose maker is one of
// proc::kin or has ended. Calls `found` with the id of each shared segment.
uint64_t measure(uint64_t since, void (*found)(uint64_t id));

}  // namespace sysv
