// The filtering proxy of a session: the only way out for commands that live in a network
// with nothing but a loopback. docs/proxy.md has what it allows, refuses and logs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "proxy/allow_list.h"

namespace husk::proxy {

// Whether each entry can be understood, and there is room for all of them.
Result<void> check_hosts(const std::vector<std::string>& allow);

// What a proxy is to do. Its sockets are made inside of the session's network namespace, and those
// of published ports outside.
struct Errand {
    std::vector<std::string> allow = {};     // an empty list allows nothing
    const os::Fd* requests = nullptr;        // listening
    const os::Fd* names = nullptr;           // for questions about names; together with:
    const os::Fd* preambles = nullptr;       // listening, for forwarded connections
    const os::Fd* mason = nullptr;           // whom to ask for sockets, if ports are published
    std::vector<uint16_t> ports = {};        // that are published
    std::span<const os::Fd> published = {};  // listening, one for each of them
};

// Starts it. Returns when it serves. Denials go to `log` (opened with O_APPEND; may be none). It
// lives until `session_end`, a pidfd or socket, becomes readable or hangs up. It is nobody's child
// and lives in the network of the caller. An entry of the list that cannot be understood is an
// error.
Result<void> start_proxy(const Errand& errand, const os::Fd& log, const os::Fd& session_end);

Result<AllowList> parse_hosts(const std::vector<std::string>& allow);

}  // namespace husk::proxy
