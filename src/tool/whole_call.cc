#include "tool/whole_call.h"

#include <algorithm>
#include <cstdlib>
#include <variant>

#include "base/text.h"
#include "parse/shells.h"

namespace husk::tool {
namespace {

const InputText* text_for(const Request& request) { return std::get_if<InputText>(&request.input); }

}  // namespace

decide::Context context_of(const Request& request, std::string working_dir) {
    const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
    decide::Context context{.working_directory = std::move(working_dir),
                            .home = home == nullptr ? "" : home};
    for (const auto& [name, value] : request.env) context.variables.push_back(name);
    context.has_more_than_text = !request.env.empty() || text_for(request) != nullptr;
    return context;
}

void overrule(decide::Verdict& verdict, decide::Decision decision, const Verdict& by) {
    verdict.decision = decision;
    verdict.rule = by.rule;
    verdict.where = by.where;
    verdict.reason = by.reason;
    verdict.instead = by.instead;
    verdict.allow_with.clear();
}

void add_input(Judged& judged, const Request& request, const decide::Rules& rules,
               const decide::Context& context) {
    const InputText* input = text_for(request);
    if (input == nullptr || judged.rejected) return;
    if (std::ranges::none_of(judged.script.commands, parse::reads_code)) return;
    const Judged code = judge_readable(input->text, rules, context);
    if (code.verdict.decision <= judged.verdict.decision) return;
    overrule(judged.verdict, code.verdict.decision, reported(code.verdict));
    judged.verdict.reason = "on its standard input: " + judged.verdict.reason;
    judged.verdict.only_once = "its text does not say all that it does";
}

void tell_what_comes_with_it(decide::Verdict& verdict, const decide::Context& context,
                             const Request& request) {
    if (verdict.decision == decide::Decision::Allow) return;
    if (!context.variables.empty())
        verdict.reason += "; the call sets " + text::join(context.variables, ", ");
    if (text_for(request) != nullptr) verdict.reason += "; the call gives it standard input";
}

}  // namespace husk::tool
