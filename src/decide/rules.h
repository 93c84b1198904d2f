// Rules as they are applied, made of rules as they were written.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "decide/long_rule.h"
#include "decide/short_rule.h"
#include "decide/verdict.h"
#include "request/rule_texts.h"

namespace husk::decide {

// "husk.yaml:12", as precise as it is known.
std::string text_of(const Where& where);

enum class Mode : uint8_t { Default, Strict, DontAsk, AcceptEdits, BypassPermissions };

struct Rule {
    Decision decision = Decision::Deny;
    std::string name = {};     // an id, or the text of a short rule
    std::string where = {};    // "husk.yaml:12"
    std::string reason = {};   // as written; may be empty
    std::string instead = {};  // as written; may be empty
    std::variant<ShortPattern, LongPattern> pattern;
};

// An allow rule matches surely or not at all; the others match too when part of the command is
// not known before running and may be what they look for.
Match match(const Rule& rule, const Subject& subject);

struct Rules {
    Mode mode = Mode::Default;
    std::string mode_where = {};     // "husk.yaml:3"
    std::vector<Rule> rules;         // in the order of the file: allow, ask, deny, long ones
    std::vector<Approval> approved;  // what a person has said "always" to
    std::set<std::string> packs;     // those that are on
};

// Something about the rules that somebody should know. With a fatal one they must not be used.
struct Problem {
    Where where;
    std::string message = {};
    bool fatal = false;
    bool operator==(const Problem&) const = default;
};

struct Compiled {
    Rules rules;
    std::vector<Problem> problems;

    bool usable() const;  // no problem is fatal
};

// What cannot be used is a fatal problem: a rule that cannot be read, a long rule that
// contradicts its own examples, a name of a pack or a mode that does not exist.
Compiled compile(const RuleTexts& texts);

// What is allowed to stand there but cannot be meant: rules that never match, that others
// make useless, and that allow far more than they seem to. None is fatal.
std::vector<Problem> lint(const RuleTexts& texts);

// Of these, rules that somebody relies on: they deny or ask, and never match.
std::vector<Problem> dead_refusals(const RuleTexts& texts);

}  // namespace husk::decide
