#include "tool/gate.h"

#include <future>
#include <utility>

#include "render/verdict_text.h"
#include "request/rules_file.h"
#include "tool/approval.h"
#include "tool/configuration.h"
#include "tool/plan_call.h"

namespace husk::tool {
namespace {

void add(std::vector<ShortRule>& list, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) list.push_back({text, {"Settings::checks", 0}});
}

std::expected<decide::Rules, std::string> rules_of(const Checks& checks) {
    RuleTexts texts;
    std::error_code failed;
    if (!checks.file.empty() && std::filesystem::exists(checks.file, failed)) {
        const auto text = read_rules_text(checks.file);
        if (!text) return std::unexpected(to_text(text.error()));
        auto read = read_rules(*text, checks.file.string());
        if (!read) return std::unexpected(to_text(read.error()));
        texts = *std::move(read);
    }
    add(texts.allow, checks.allow);
    add(texts.ask, checks.ask);
    add(texts.deny, checks.deny);
    auto rules = usable_rules(texts);
    if (!rules) return std::unexpected(to_text(rules.error()));
    return *std::move(rules);
}

Gate::Decided cancelled(const Judged& judged) {
    return {.verdict = reported(judged.verdict),
            .refused = Cancelled{"cancelled before it was started"}};
}

}  // namespace

void Gate::Decided::tell(Report& report) const {
    report.verdict = verdict;
    report.notes.insert(report.notes.end(), notes.begin(), notes.end());
}

Result<std::unique_ptr<Gate>> Gate::make(const Checks& checks) {
    auto rules = rules_of(checks);
    if (!rules) return failure("checks", 0, rules.error());
    RuleBook::Memory memory{checks.file, [checks] { return rules_of(checks); }};
    return std::unique_ptr<Gate>(new Gate(*std::move(rules), std::move(memory)));
}

void Gate::pass(const Request& request, const ToolContext& context, Then then) {
    // A person is never asked about a request that could not run anyway.
    if (const auto possible = check_request(request); !possible)
        return then({.refused = NotStarted{possible.error()}});
    const Judged judged = judge_call(request, place_of(request, context), *rules_.rules());
    const decide::Verdict& verdict = judged.verdict;
    if (verdict.decision == decide::Decision::Ask) return ask(judged, context, std::move(then));
    Decided decided{.verdict = reported(verdict)};
    if (verdict.decision == decide::Decision::Deny)
        decided.refused = Denied{verdict.rule, render::refusal(verdict)};
    then(decided);
}

Gate::Decided Gate::pass(const Request& request, const ToolContext& context) {
    // Who settles it may still be about to leave when this one goes on.
    const auto promise = std::make_shared<std::promise<Decided>>();
    pass(request, context, [promise](const Decided& decided) { promise->set_value(decided); });
    return promise->get_future().get();
}

void Gate::ask(const Judged& judged, const ToolContext& context, Then then) {
    if (!context.approver) return then(decided(judged, {}));
    questions_.ask(context.approver, question_about(judged, rules_.file()), context.cancel,
                   [this, judged, then = std::move(then)](const std::optional<Answer>& said) {
                       then(said ? decided(judged, *said) : cancelled(judged));
                   });
}

Gate::Decided Gate::decided(const Judged& judged, const Answer& answer) {
    Decided decided{.verdict = reported(judged.verdict)};
    const bool once = answer.kind == Answer::AllowOnce;
    const bool always = answer.kind == Answer::AllowAlways;
    if (!once && !always)
        decided.refused = Denied{judged.verdict.rule, why_refused(answer, judged.verdict)};
    if (always && judged.verdict.only_once.empty() && !rules_.file().empty())
        decided.notes.push_back("always allowed: " +
                                rules_.remember(judged.working_dir, judged.script.source));
    return decided;
}

}  // namespace husk::tool
