// The decision before a command is started: text and rules -> verdict.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decide/context.h"
#include "decide/rules.h"
#include "decide/verdict.h"
#include "parse/script.h"
#include "render/question.h"

namespace husk::tool {

struct Judged {
    parse::Script script;
    decide::Verdict verdict;
    // Why bash itself would not parse it; then the verdict is deny.
    std::optional<parse::SyntaxError> rejected;
    std::string working_dir = {};  // where it would run, if that was said
};

// When the parser takes the text for no script, bash is asked, which runs nothing of it. A
// script that bash accepts has only not been understood.
Judged judge(std::string_view text, const decide::Rules& rules, const decide::Context& context);

// Of a text that bash would not parse to its end: what bash would run before it gives up.
Judged judge_readable(std::string_view text, const decide::Rules& rules,
                      const decide::Context& context);

// As it stands in a report.
using render::reported;

}  // namespace husk::tool
