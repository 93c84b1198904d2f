// The pattern of an entry of `rules:`, and what it matches.
#pragma once

#include <string>
#include <vector>

#include "decide/match.h"

namespace husk::decide {

// A word with stars, as it is written and ready to be compared.
struct Alternative {
    std::string text;
    Glob glob;
    // Of --option=value: both halves, which may also stand in two words.
    std::vector<Glob> halves = {};

    Alternative(std::string written);  // NOLINT(google-explicit-constructor): a word is one
    Alternative(const char* written) : Alternative(std::string(written)) {}  // NOLINT: likewise
    bool operator==(const Alternative& other) const { return text == other.text; }
};

// Each part that is given must match.
struct LongPattern {
    // The program, then what must occur among its arguments in this order; each is a list of
    // alternatives.
    std::vector<std::vector<Alternative>> words;
    std::vector<std::string> writes;  // globs of files
};

// As deny and ask need it: what cannot be known may match.
Match may_match(const LongPattern& pattern, const Subject& subject);
// As allow needs it: only a star matches what cannot be known.
bool surely_matches(const LongPattern& pattern, const Subject& subject);

}  // namespace husk::decide
