// What of this host a container finds, held to the very files that are meant: names in a workspace
// are written by commands, and an engine follows links.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "place/container.h"

namespace husk::place {

struct Mount {
    std::filesystem::path from;
    std::string to;
    bool read_only = true;
    // Of what `from` was when it was planned. Inside it is compared (warden_wire.h).
    uint32_t major = 0;
    uint32_t minor = 0;
    uint64_t inode = 0;
};

// The workspace, and on top of it what is read-only in it. An error where a link stands in the way
// of something protected, or where the state directory or the engine's socket would be in reach.
Result<std::vector<Mount>> mounts_of(const Wanted& wanted, const std::filesystem::path& state,
                                     const std::filesystem::path& engine_socket);

}  // namespace husk::place
