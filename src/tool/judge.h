// The decision before a command is started. Every way in comes through here: the command line,
// the library, MCP, HTTP and the contracts.
#pragma once

#include <husk/request.h>

#include <optional>
#include <string>

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
    std::string working_dir = {};  // where it would run; empty if that is not known
};

// What a contract makes of its calls. Everybody else uses the defaults.
struct Manner {
    // The bash has run other commands before, and keeps what they changed.
    bool shell_goes_on = false;
    // A script that bash cannot parse is run: bash executes the lines before the error.
    bool runs_unparsable = false;
    // A script that was not understood passes, where no rule that somebody wrote could be missed.
    bool trusts_not_understood = false;
    decide::Denylist denylist = decide::Denylist::Harmful;
    std::optional<Verdict> own_checks = {};
    std::string home = {};  // of the command, if the contract sets it and the call does not
};

// Judges a call by all that decides what it does: its command or program, the variables that it
// sets, its standard input, and the absolute directory where it would run (empty: not known). When
// the parser finds a syntax error, bash is asked; it reads the script and runs nothing.
Judged judge_call(const Request& request, const std::string& working_dir,
                  const decide::Rules& rules, const Manner& manner = {});

// As it stands in a report.
using render::reported;

}  // namespace husk::tool
