// A script and its verdict as those see them who are outside of Husk.
#pragma once

#include <husk/approval.h>

#include "decide/verdict.h"
#include "parse/script.h"

namespace husk::render {

Verdict reported(const decide::Verdict& verdict);

// Without what "always" would write.
Question question_of(const parse::Script& script, const decide::Verdict& verdict);

}  // namespace husk::render
