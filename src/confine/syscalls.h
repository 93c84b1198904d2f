// Which system calls a confined session may make. The filter stands once for the whole session:
// nursery and keepers live under it too.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "keeper/watched_calls.h"
#include "os/seccomp.h"

namespace husk::confine {

// Connected pairs of unix sockets are always allowed, and so is all that is done with a socket one
// has, except connecting it: what is not wanted is not made in the first place.
enum class Sockets {
    None,
    Unix,            // AF_UNIX only
    Network,         // as the user, but for odd families and protocols
    PrivateNetwork,  // the loopback of a namespace of its own; no unix socket of anyone outside
};

// Where Sockets gives none. A filter cannot tell a socket of the session from that of somebody
// else.
enum class UnixSockets {
    PairsOnly,
    ThroughWitness,  // streams and packets; the witness makes each connection (keeper/connects.h)
};

struct SyscallPolicy {
    bool metadata_forbidden;  // there is no mount namespace that keeps it: modes, owners, times...
    Sockets sockets;
    bool pid_namespace;
    bool ipc_namespace;
    bool truncate_forbidden;        // Landlock cannot (ABI below 3)
    bool witness = false;           // somebody notes what is refused, and what walls will stop
    bool witness_sees_all = false;  // removals, links and metadata too
    bool one_user = false;          // root cannot become another user, and is told so
    bool tracing = false;           // Landlock keeps tracers within the session
    UnixSockets unix_sockets = UnixSockets::PairsOnly;
    bool has_way_out = false;  // the network is that of the host: an address is no denial
    bool witness_sees_removals = false;
    bool group_bit = false;  // chmod may set it: package managers of containers need it
};

os::SyscallFilter syscall_policy(const SyscallPolicy& policy, uint32_t arch = os::native_arch);

// What the witness has to answer with, where the filter leaves that to it.
std::vector<wire::RefusedRow> rows_for_witness(const SyscallPolicy& policy,
                                               uint32_t arch = os::native_arch);

// Of the call with this number, on this machine; empty if it is never refused.
std::string_view name_of_refused(uint32_t number);

}  // namespace husk::confine
