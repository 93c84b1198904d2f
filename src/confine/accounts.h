// Root becomes other users behind walls, for `su` and for servers that do not run as root.
#pragma once

#include <filesystem>

#include "confine/steps.h"
#include "confine/wanted.h"

namespace husk::confine {

// Whether root can be another user in the session. Landlock withholds the same from every user, and
// a process that is no longer root has no capability. The mason has to look at such processes. A
// user namespace knows only one user.
bool can_become_others(const Wanted& wanted);

// The capabilities that this takes, as a mask.
uint64_t rights_to_become_others();

// The file of passwords, which `su` reads before it lets anybody in. The session has one of its
// own, in which nobody has a password. Empty if it needs none.
std::filesystem::path passwords_file(const Wanted& wanted);

// For `add_view`, whose slot this is: makes the file in `store`, and copies it there.
void make_passwords_file(const Wanted& wanted, const std::filesystem::path& store, uint64_t slot,
                         Steps& steps);

}  // namespace husk::confine
