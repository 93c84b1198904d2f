#include "tool/judge.h"

#include <string>
#include <utility>

#include "decide/decide.h"
#include "decide/variables.h"
#include "run/ask_bash.h"

namespace husk::tool {
namespace {

std::string reason_of(const parse::SyntaxError& error) {
    const std::string line = error.line == 0 ? "" : "line " + std::to_string(error.line) + ": ";
    return "bash cannot parse it: " + line + error.message;
}

Judged reject(parse::Script script, parse::SyntaxError error) {
    Judged judged;
    judged.verdict.decision = decide::Decision::Deny;
    judged.verdict.understood = false;
    judged.verdict.rule = "syntax";
    judged.verdict.where = "bash";
    judged.verdict.reason = reason_of(error);
    // What is in a text that cannot be run is nothing that could be decided.
    script.commands.clear();
    judged.script = std::move(script);
    judged.rejected = std::move(error);
    return judged;
}

}  // namespace

Judged judge(std::string_view text, const decide::Rules& rules, const decide::Context& context) {
    parse::Script script = parse::parse(text);
    if (script.error) {
        auto rejected = run::bash_rejects(text);
        if (rejected && *rejected) return reject(std::move(script), *std::move(*rejected));
        script.not_understood.push_back(
            rejected ? "bash can read it, but this parser cannot: " + script.error->message
                     : "bash could not be asked: " + rejected.error().text());
        script.error.reset();
    }
    decide::set_before_all(script, context.variables);
    decide::Verdict verdict = decide::decide(script, rules, context);
    return {std::move(script), std::move(verdict), std::nullopt, {}};
}

Judged judge_readable(std::string_view text, const decide::Rules& rules,
                      const decide::Context& context) {
    parse::Script script = parse::parse(text);
    if (script.error) script.not_understood.push_back(script.error->message);
    script.error.reset();
    decide::set_before_all(script, context.variables);
    decide::Verdict verdict = decide::decide(script, rules, context);
    return {std::move(script), std::move(verdict), std::nullopt, {}};
}

}  // namespace husk::tool
