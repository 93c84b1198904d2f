// What stays read-only inside a root that may be written: files that others trust.
#pragma once

#include <set>

#include "base/result.h"
#include "confine/git_checkouts.h"
#include "confine/names.h"
#include "confine/steps.h"
#include "confine/wanted.h"

namespace husk::confine {

struct Protected {
    Names names;
    GitSurvey git;
    // If none of these files changed, all of this is still true. Empty: that is not sufficient.
    std::set<SeenFile> proof;
};

// What is protected in all roots, as things are now. `earlier`, a survey of the same session, saves
// reading large files again. Patterns are left out.
Protected look_around(const Wanted& wanted, const Protected* earlier);
// An error if settings of git or hooks cannot be read.
Result<void> check_readable(const GitSurvey& git);
// The same as look_around, with patterns. An error if a pattern cannot be protected, or if settings
// or hooks cannot be read.
Result<Protected> find_protected(const Wanted& wanted, const Protected* earlier = nullptr);

// Whether this name, relative to a root, is protected in every root: it does not depend on
// settings.
bool is_always_protected(const std::filesystem::path& relative);

// Whether a new survey would find the same. False also where that is not known.
bool is_still_so(const Protected& found);
// Whether every mount that protects `now` was made for `earlier`, on the same objects.
bool holds_the_same(const Protected& earlier, const Protected& now);

// Each name that is there is mounted on itself, read-only, and every directory above it as it is,
// if it could be moved: a directory that is a mount can be neither renamed nor removed.
void add_protection(const Wanted& wanted, const Names& names, Steps& steps);

}  // namespace husk::confine
