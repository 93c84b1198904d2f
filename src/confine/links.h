// Links on the way to what walls are about.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "confine/protected.h"

namespace husk::confine {

// The first directory above `path`, below `root`, that is a link and none of those that are known.
std::optional<std::filesystem::path> link_above(const std::filesystem::path& path,
                                                const std::filesystem::path& root,
                                                const std::vector<KeptLink>& known);

// The same place by a name without links, as far as it exists.
std::filesystem::path without_links(const std::filesystem::path& path);

// Where a link leads; nothing if there is none.
std::optional<std::filesystem::path> target_of(const std::filesystem::path& link);

// The directory that a path lies in, as text.
std::string_view parent_of(std::string_view path);

// Adds the links on the ways to the names. Gives all that lies on these ways, links or not.
std::vector<SeenFile> add_links_above(Protected& names,
                                      const std::vector<std::filesystem::path>& roots);

// The same names without them, where that is something else and in a root.
std::vector<std::filesystem::path> behind_links(const Protected& names,
                                                const std::vector<std::filesystem::path>& roots);

}  // namespace husk::confine
