// The answer to "may this be run?", for the script and for each command in it, with the reasons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace husk::decide {

enum class Decision : uint8_t { Allow, Ask, Deny };  // the strictest is the greatest

const char* word(Decision decision);  // "allow" "ask" "deny"

// How bad it would be.
enum class Severity : uint8_t { Low, Medium, High, Critical };

const char* word(Severity severity);  // "low" "medium" "high" "critical"

struct Judgement {
    size_t command = 0;  // in Script::commands
    Decision decision = Decision::Allow;
    std::string rule = {};        // an id, or the text of a short rule; empty: no rule had a say
    std::string where = {};       // "husk.yaml:12" or "built in: rm"
    std::string reason = {};      // in plain words; empty when no rule had a say
    std::string instead = {};     // a safer way, where one is known
    std::string allow_with = {};  // the smallest short rule that would allow it; empty: none does
    // The rule that would have to be changed, because no other goes before it: "Bash(x) at
    // husk.yaml:12". Empty when no rule of the user decided.
    std::string change = {};
    // Of an ask: why nobody's "always" can answer it for ever; empty when it can.
    std::string only_once = {};
    // Only from the built-in checks:
    std::optional<Severity> severity = {};
    std::optional<double> confidence = {};  // from 0 to 1, that it is what it looks like
    std::string evidence = {};              // the words that gave it away
    bool operator==(const Judgement&) const = default;
};

// A file that a command names, in a redirection or as an argument of a well-known program.
struct FileUse {
    std::string path = {};       // as written, without quotes
    std::string operation = {};  // read write append delete
    size_t command = 0;          // in Script::commands
    bool operator==(const FileUse&) const = default;
};

struct Verdict {
    Decision decision = Decision::Allow;
    bool understood = true;                // Script::understood()
    std::vector<Judgement> commands = {};  // one for each command of the script, in order
    std::vector<FileUse> files = {};
    // Of the judgement that decided, or of the script where no single command did.
    std::string rule = {};
    std::string where = {};
    std::string reason = {};
    std::string instead = {};
    std::vector<std::string> allow_with = {};  // all of these would allow it; empty: none do
    std::string change = {};                   // as in a judgement
    std::string only_once = {};                // likewise
    Severity risk = Severity::Low;             // the worst of all that was found
};

}  // namespace husk::decide
