// Whether a command may be run: what the rules say, and whoever is asked.
#include <cstdlib>

#include "render/verdict_text.h"
#include "tool/display_of.h"
#include "tool/toolbox_call.h"

namespace husk::tool {
namespace {

// A script can be judged without being understood, and a contract that only has checks lets it
// pass; a rule that somebody wrote wants to know.
bool only_not_understood(const Judged& judged, const decide::Rules& rules) {
    return judged.verdict.rule == "not-understood" && rules.rules.empty() &&
           rules.mode != decide::Mode::Strict;
}

// What the contract's own checks say, where it is stricter or the same.
void add_own_checks(Judged& judged, const std::optional<Verdict>& own) {
    if (!own || judged.rejected) return;
    const auto decision = own->decision == "deny" ? decide::Decision::Deny : decide::Decision::Ask;
    if (decision < judged.verdict.decision) return;
    judged.verdict.decision = decision;
    judged.verdict.rule = own->rule;
    judged.verdict.where = own->where;
    judged.verdict.reason = own->reason;
    judged.verdict.instead = own->instead;
    judged.verdict.allow_with.clear();
}

}  // namespace

Toolbox::Weighed Toolbox::weigh(const contract::Run& run) const {
    const Request& request = run.request;
    const contract::Defaults& defaults = deployment_.contract->defaults;
    const std::filesystem::path directory = deployment_.walls.workspace / request.working_dir / "";
    Weighed weighed{.command = request.command,
                    .working_dir = directory.lexically_normal().parent_path()};
    const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
    const decide::Context context = {.working_directory = weighed.working_dir.string(),
                                     .home = home == nullptr ? "" : home};
    Judged& judged = weighed.judged;
    judged = judge(request.command, deployment_.rules, context);
    // bash runs the lines before the one that it cannot read.
    if (judged.rejected && defaults.unparsable == contract::Unparsable::BashSaysIt)
        judged = judge_readable(request.command, deployment_.rules, context);
    add_own_checks(judged, run.verdict);
    if (!defaults.refuses_what_it_does_not_understand &&
        only_not_understood(judged, deployment_.rules)) {
        judged.verdict.decision = decide::Decision::Allow;
        return weighed;
    }
    weighed.verdict = reported(judged.verdict);
    if (run.verdict && weighed.verdict.rule == run.verdict->rule)
        weighed.verdict.risk = run.verdict->risk;
    return weighed;
}

// Where a rule asks, somebody else decides, at any time.
void Toolbox::permit(const std::shared_ptr<Call>& call, Weighed weighed,
                     std::function<void()> go_on) {
    using enum decide::Decision;
    call->verdict = weighed.verdict;
    const decide::Decision decision = weighed.judged.verdict.decision;
    if (decision == Allow) return go_on();
    if (decision == Deny || !call->context.ask)
        return refuse(*call, weighed, render::refusal(weighed.judged.verdict));
    const auto about = std::make_shared<const Weighed>(std::move(weighed));
    call->context.ask(about->judged, [this, call, about, go_on = std::move(go_on)](Consent said) {
        if (said == Consent::Given) return go_on();
        const decide::Verdict& verdict = about->judged.verdict;
        refuse(*call, *about,
               said == Consent::Declined ? "the user was asked and declined: " + verdict.reason
                                         : render::refusal(verdict));
    });
}

void Toolbox::refuse(const Call& call, const Weighed& weighed, std::string why) const {
    Report report;
    report.ending = Denied{weighed.judged.verdict.rule, std::move(why)};
    report.command = weighed.command;
    report.display = display_of(weighed.command, weighed.working_dir);
    report.verdict = weighed.verdict;
    finish(call, contract::Told{.report = std::move(report)});
}

}  // namespace husk::tool
