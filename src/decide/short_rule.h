// `Bash(git push:*)`: how it is read, and what it matches.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "decide/glob.h"
#include "decide/match.h"

namespace husk::decide {

// `Tool` or `Tool(pattern)`.
struct ShortPattern {
    std::string tool = {};
    std::string text = {};    // between the parentheses
    bool everything = false;  // no parentheses, or nothing but a star between them
    bool by_path = false;     // it names its program by a path
    Letters line = {};        // what the command's line must look like
    Glob glob = {};           // the same, ready to be compared
    // Of /usr/bin/git and other programs of the system: the same with the bare name, because
    // "git" and /bin/git are most likely the same program.
    std::optional<Glob> bare = {};
};

// The error is the sentence for whoever wrote it: "Invalid permission rule: empty string".
std::expected<ShortPattern, std::string> read_short_rule(std::string_view text);

// As deny and ask need it: what cannot be known may match.
Match may_match(const ShortPattern& pattern, const Subject& subject);
// As allow needs it: only a star matches what cannot be known.
bool surely_matches(const ShortPattern& pattern, const Subject& subject);

}  // namespace husk::decide
