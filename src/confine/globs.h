// Paths with *, ?, [..] and ** in them, as `protect` has them: what they are about, as things are.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "confine/wanted.h"

namespace husk::confine {

// "/x/memo/**" is all that /x/memo holds, and so is "/x/memo".
std::filesystem::path without_stars(std::filesystem::path path);

// Whether it stands for more than itself, its last stars left out.
bool is_glob(const std::filesystem::path& path);

// The part of a pattern before its first wildcard.
std::filesystem::path fixed_part(const std::filesystem::path& pattern);

// What can be written and would be taken for something else.
Result<void> check_globs(const std::vector<std::filesystem::path>& protect);

// What of all that is protected has a name that matches; of a directory, itself alone. Where a mode
// keeps things from being written anyway, nothing is looked for. Links in the part before
// the first wildcard are followed, and no others; one that matches can be told, but not held. An
// error when that is more than can be held, or cannot be told.
enum class Links { Refused, Told };
Result<std::vector<std::filesystem::path>> find_matches(const Wanted& wanted, Links links);

}  // namespace husk::confine
