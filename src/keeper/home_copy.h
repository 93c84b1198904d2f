// What the mason knows of HOME behind walls: a copy that goes with the session. Names that begin
// with a dot, and the directories of tools, may be written there; what else is written would seem
// to be saved, and is refused.
#pragma once

#include <stdint.h>

#include "sys.h"

namespace home_copy {

// The path of HOME, if it is a copy. A step of the walls says so, before there is a mason.
void keep(const char* path);

// Mounts may have changed.
void forget_mount();

// Whether an object is in the mount of the copy, and not in one that covers a part of it.
bool holds(const sys::FileStatus& status);

// `path` is absolute and has no links. Whether it is no name that the copy is for.
bool would_seem_saved(const char* path);

// Whether the path, as its text says, leads to a part of the copy that was written before. Costs
// no system call.
bool is_known_part(const char* path);

// The part of the copy that the path leads to ("~/.npm", "~/.config/x"), if it is written for the
// first time; else null. Valid until the next call.
const char* take_new_part(const char* path);

}  // namespace home_copy
