// The rules of several files together. A file that lies beside the work may come from anybody,
// so it can only narrow what the user's own files say.
#pragma once

#include <vector>

#include "request/rule_texts.h"
#include "request/rules_file.h"

namespace husk {

struct Narrowed {
    RuleTexts rules;
    std::vector<Complaint> ignored;  // what would have widened something
};

// What asks and denies, the packs that are switched on, and the modes that refuse more.
Narrowed narrowed(const RuleTexts& rules);

// All rules of both; of the modes the one that refuses more; of a pack what `narrowing` says.
RuleTexts together(RuleTexts rules, const RuleTexts& narrowing);

// All rules of both; of the modes, and of a pack, what `over` says, if it says something.
RuleTexts on_top(RuleTexts rules, const RuleTexts& over);

}  // namespace husk
