// The filtering proxy of a session: the only way out for commands that live in a network
// with nothing but a loopback. docs/proxy.md has what it allows, refuses and logs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace husk::proxy {

// Whether each entry can be understood, and there is room for all of them.
Result<void> check_hosts(const std::vector<std::string>& allow);

// Starts a proxy that takes connections from `listener`: a listening TCP socket, made inside of the
// session's network namespace. Returns when it serves. Denials go to `log` (opened with O_APPEND;
// may be none). It lives until `session_end`, a pidfd or socket, becomes readable or hangs up. It
// is nobody's child and lives in the network of the caller. An entry of `allow` that cannot be
// understood is an error; an empty list allows nothing.
Result<void> start_proxy(const std::vector<std::string>& allow, const os::Fd& listener,
                         const os::Fd& log, const os::Fd& session_end);

}  // namespace husk::proxy
