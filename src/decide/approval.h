// What a person has said "always" to, and what such a word can stand for: a script, letter for
// letter, in one directory. It overrules what asks, and nothing that denies.
#pragma once

#include <string>

#include "decide/context.h"
#include "decide/match.h"
#include "decide/rules.h"
#include "parse/script.h"

namespace husk::decide {

// The entry that approves this script there; null when none does.
const Approval* approval_of(const parse::Script& script, const Rules& rules,
                            const Context& context);

// Why nobody's "always" is kept; empty when it is.
// Of the script as a whole: it must be possible to write it down and to know it again.
std::string why_not_kept(const parse::Script& script, const Context& context);
// Of one command that is asked about: what it does must be known before it runs. `may_be_another`:
// it may turn out to be what another rule is about.
std::string why_not_kept(const Subject& subject, bool may_be_another);

}  // namespace husk::decide
