// Which setting would let a session write where a wall stopped it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <husk/request.h>

namespace husk::confine {

// The narrowest directory for `write`, or why no setting does it. One of the two is empty.
struct Opening {
    std::filesystem::path root = {};
    bool needs_workspace_mode = false;  // the path lies in a root of the session
    std::string reason = {};
};

struct Stopped {
    std::string operation;       // of a Denial
    std::filesystem::path path;  // absolute, without links
    Mode mode = Mode::Workspace;
    std::vector<std::filesystem::path> roots;  // that the mode workspace would let it write
};

// Looks at the machine as it is now, with the rights of this process.
Opening opening_of(const Stopped& stopped);

// What speaks against a directory as a workspace, or for `write`.
enum class RootKind : uint8_t { Usual, OfTheSystem, HoldsAHome, OfTheKernel };
RootKind kind_of_root(const std::filesystem::path& directory);

}  // namespace husk::confine
