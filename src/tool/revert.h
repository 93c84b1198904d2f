// Protected names that a command made are taken away before its result leaves.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "run/session.h"

namespace husk::tool {

// Those of `absent` that exist now, below one of `roots`, go to the directory `keep`; where that is
// on another file system they are removed. Returns what was taken away. A way through a link is
// none: it could lead to something that was there before.
std::vector<std::string> take_away(const std::vector<std::filesystem::path>& absent,
                                   const std::vector<std::filesystem::path>& roots,
                                   const std::filesystem::path& keep);

// For as long as shells of the session live, and nobody waits for them: its mason takes those names
// away that do not exist now and that the session makes. Reports find them in the session's log.
// Nothing is done where it could not tell them from what the user makes.
void forbid_absent(const run::Session& session, const std::filesystem::path& keep);

}  // namespace husk::tool
