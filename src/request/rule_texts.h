// Rules as somebody wrote them, and where. decide/ makes rules of them.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace husk {

struct Where {
    std::string file;  // empty: on the command line
    size_t line = 0;   // from 1; 0 when it is not known
    bool operator==(const Where&) const = default;
};

// An entry of permissions.allow, .ask or .deny: `Bash(git push:*)`.
struct ShortRule {
    std::string text;
    Where where;
};

// An entry of `rules:`.
struct LongRule {
    std::string id;
    std::vector<std::vector<std::string>> match;  // words in order; each a list of alternatives
    std::vector<std::string> writes;              // globs of files that a redirect writes
    std::string verdict;                          // allow, ask, deny
    std::string reason;
    std::string instead;
    std::vector<std::string> hits;    // examples: commands that it must match,
    std::vector<std::string> misses;  // and commands that it must not
    Where where;
};

// An entry of permissions.approved: a script to which a person has said "always", letter for
// letter, and the one directory where that holds.
struct Approval {
    std::string directory;
    std::string command;
    Where where;
};

struct RuleTexts {
    std::string mode = "default";
    Where mode_where;
    std::vector<ShortRule> allow;
    std::vector<ShortRule> ask;
    std::vector<ShortRule> deny;
    std::vector<LongRule> rules;
    std::vector<Approval> approved;
    std::map<std::string, bool> packs;  // switched on or off by name
    std::map<std::string, Where> packs_where;
};

}  // namespace husk
