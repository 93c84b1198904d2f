// What is asked of the walls: everything that a session's walls depend on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <husk/report.h>
#include <husk/request.h>

#include "confine/machine.h"
#include "keeper/walls_wire.h"

namespace husk::confine {

struct Wanted {
    Mode mode = Mode::Workspace;
    Network network;
    std::filesystem::path workspace;              // absolute, without links
    bool same_workspace = false;                  // of the session that is joined
    std::vector<std::filesystem::path> writable;  // more roots like it
    std::vector<std::filesystem::path>
        git_dirs;                    // of the repositories around the workspace, likewise
    std::filesystem::path checkout;  // around the workspace, of such a repository: only read
    std::vector<std::filesystem::path> readable;  // secrets that are given on purpose
    // If given, only these paths and the system directories can be read. `resolved` then narrows
    // the workspace and the writable roots to these paths, and keeps their old values in
    // `narrowed`.
    std::optional<std::vector<std::filesystem::path>> allowed;
    std::vector<std::filesystem::path> narrowed;
    std::vector<std::filesystem::path> protect;  // read-only whatever contains them
    std::vector<std::filesystem::path> sockets;  // outside, and may be connected to all the same
    std::vector<std::filesystem::path> devices;  // that may be opened
    std::vector<uint16_t> publish;               // ports that the host's loopback shows
    std::filesystem::path home;                  // of the user; empty: there is none
    std::filesystem::path state;                 // of Husk: nobody's business
    std::filesystem::path logs;                  // of this session: readable
    Scratch scratch = Scratch::Private;
    std::filesystem::path scratch_dir;  // on disk, where it cannot be a mount
    uint64_t scratch_bytes = 1ULL << 30;
    bool root = false;                // uid 0, whatever it may do
    bool watch_denials = true;        // note what the walls stop
    bool wide_workspace = false;      // a root that holds "/" or a home is meant
    std::vector<std::string> accept;  // holes that may stay open
    Machine machine;                  // what there is to build with
    // Which objects the paths above led to when they were resolved. A root that was not there then
    // is none later either.
    std::map<std::string, wire::Identity> identities;
    // Set by `resolved`: why there must be no session with these paths. A command could have made a
    // link that one of them leads through.
    std::optional<Error> refused;

    bool closed() const { return mode != Mode::Open; }
    // Unknown for a path that was not resolved.
    wire::Identity identity_of(const std::filesystem::path& path) const;
    // Two calls with the same text of it may share a session.
    std::string fingerprint() const;
};

// The home that HOME names, if this user can do anything with it; else there is none.
std::filesystem::path usable_home(const char* variable);

// What stands in the request made exact: links resolved, what git needs added. Done once for each
// session.
Wanted resolved(Wanted wanted);

}  // namespace husk::confine
