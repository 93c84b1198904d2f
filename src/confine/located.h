// Where a path leads, and to which object, found out in one step.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

#include "keeper/walls_wire.h"
#include "os/fd.h"

namespace husk::confine {

struct Located {
    std::filesystem::path path;  // absolute, without links
    wire::Identity identity;
};

// The path of what is open, without links. Something else ("pipe:[12]") if it has none.
std::string name_of(const os::Fd& file);

// Opens the object, so that the name and the identity belong together whatever is renamed
// meanwhile. Nothing where it cannot be reached, or means something else to each process.
std::optional<Located> locate(const std::filesystem::path& path);

// The object at a path that is no link, as it is now; nothing where it cannot be seen.
std::optional<wire::Identity> seen_at(const std::filesystem::path& path);

wire::Identity identity_in(const struct stat& info);
// The identity that no object has: a step that carries it fails.
wire::Identity identity_of_nothing();

}  // namespace husk::confine
