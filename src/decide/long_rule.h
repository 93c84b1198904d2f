// The pattern of an entry of `rules:`, and what it matches.
#pragma once

#include <string>
#include <vector>

#include "decide/match.h"

namespace husk::decide {

// Each part that is given must match.
struct LongPattern {
    // The program, then what must occur among its arguments in this order; each is a list of
    // alternatives.
    std::vector<std::vector<std::string>> words;
    std::vector<std::string> writes;  // globs of files
};

// As deny and ask need it: what cannot be known may match.
Match may_match(const LongPattern& pattern, const Subject& subject);
// As allow needs it: only a star matches what cannot be known.
bool surely_matches(const LongPattern& pattern, const Subject& subject);

}  // namespace husk::decide
