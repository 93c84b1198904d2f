// What stays read-only inside a root that may be written: files that others trust.
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "confine/git_checkouts.h"
#include "confine/seen_file.h"
#include "confine/steps.h"
#include "confine/wanted.h"

namespace husk::confine {

// A link on the way to a protected name, or in its place: no mount can hold it.
struct KeptLink {
    std::filesystem::path path;
    std::filesystem::path target;
};

struct Protected {
    std::vector<std::filesystem::path> present;  // held by mounts
    std::vector<SeenFile> held;                  // the same, as they are; empty: they may change
    std::vector<std::filesystem::path> absent;   // watched: they may not come
    // Those of `present` that patterns are about; what matches later came since.
    std::vector<std::filesystem::path> matches;
    std::vector<KeptLink> links;  // looked at afterwards
    // Roots whose own times tell whether names have come into them.
    std::vector<SeenFile> roots;
    GitSurvey git;  // likewise
    // While these are the same, so is all of this; empty where it takes more to know that.
    std::vector<SeenFile> proof;
};

// Of all roots, as things are now. An error when a pattern cannot be protected.
Result<Protected> find_protected(const Wanted& wanted);

// Whether it would be found again as it is. False also where that is not known.
bool is_still_so(const Protected& found);

// Each is mounted on itself, read-only, and every directory above it as it is, if it could be
// moved: a directory that is a mount can be neither renamed nor removed.
void add_protection(const Wanted& wanted, const std::vector<std::filesystem::path>& present,
                    Steps& steps);

}  // namespace husk::confine
