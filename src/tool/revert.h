// What a command made of names that others trust is taken back before its result leaves.
#pragma once

#include <husk/report.h>

#include <filesystem>
#include <string>
#include <vector>

#include "run/session.h"

namespace husk::tool {

// Takes away, to the directory `keep`, what the command made of names that others trust; where that
// is on another file system it is removed:
// * names that were not there before,
// * links on the way to them, and what is in the place of links that were there (which come back),
// * the .git of checkouts that git enters by itself, if it would run a program there. Of these
//   nothing is ever removed: what cannot be moved to `keep` is renamed.
// `report` tells of it. A way through a link is none: it could lead to something older.
void revert(const confine::Protected& before, const confine::Wanted& wanted,
            const std::filesystem::path& keep, Report& report);

// What came since `before`, while nobody looked, and so may be the user's: what git would run
// there.
std::vector<std::string> warnings_since(const confine::Protected& before,
                                        const run::Session& session);

// For as long as shells of the session live, and nobody waits for them: its mason takes those names
// away that do not exist now and that the session makes. Reports find them in the session's log.
// Nothing is done where it could not tell them from what the user makes.
void forbid_absent(const run::Session& session, const std::filesystem::path& keep);

}  // namespace husk::tool
