// What a command made of names that others trust is taken back before its result leaves. Here it is
// decided what has to go; the session's mason takes it away.
#pragma once

#include <husk/report.h>

#include <string>
#include <string_view>
#include <vector>

#include "run/session.h"

namespace husk::tool {

// Whether processes of the call go on.
enum class Tree { IsGone, LivesOn };

// Has the mason take away, to the directory `reverted` of the state directory, or to another name
// beside it where that is on another file system:
// * protected names that were not there before,
// * links on the path to them, and what is in the place of links that were there. Those links come
//   back, also if they were only removed,
// * the .git of checkouts that git enters by itself, if it would run a program there.
// `report` says what was taken away, and what could not be: that is protected from now on.
void revert(const confine::Protected& before, run::Session& session, Tree tree, Report& report);

// The note about a link that was missing.
std::string note_of_made_link(const std::string& path);

// The note about a protected name that could not be taken away. Only one that was seen is said to
// be made by `maker`; the mason gives the same error for a name that it cannot look at. `from` says
// when the name is read-only: "from now on".
std::string note_of_left_name(const std::string& path, int error, std::string_view maker,
                              std::string_view from);

// What came since `before`, while nobody looked, and so may be the user's: what git would run
// there.
std::vector<std::string> warnings_since(const confine::Protected& before,
                                        const run::Session& session);

// Names the protected files that were replaced since `before`. A command can do that only
// after somebody outside has removed the file, but Husk cannot tell who did.
void tell_replaced(const confine::Protected& before, const run::Session& session, Report& report);

}  // namespace husk::tool
