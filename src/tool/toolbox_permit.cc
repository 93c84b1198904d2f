// Whether a command may be run: what the rules say, and whoever is asked.
#include <algorithm>

#include "contract/ask_for.h"
#include "render/verdict_text.h"
#include "tool/approval.h"
#include "tool/display_of.h"
#include "tool/toolbox_call.h"

namespace husk::tool {
namespace {

audit::Approval approval_of(const Answer& said) {
    if (said.kind == Answer::Unanswered) return {.answer = "nobody", .reason = said.reason};
    if (said.kind == Answer::Deny)
        return {.answer = "declined", .by = said.by, .reason = said.reason};
    const bool always = said.kind == Answer::AllowAlways;
    return {.answer = "given", .by = said.by, .scope = always ? "always" : "once"};
}

std::string home_given_by_contract(const contract::Run& run) {
    const auto home = run.variables.find("HOME");
    return home == run.variables.end() ? "" : home->second.value_or("");
}

// What the rules refuse stays refused; everything else is for a person to decide.
void ask_about(const contract::AskFor& asked, decide::Verdict& verdict) {
    if (verdict.decision == decide::Decision::Deny) return;
    const bool rule_asks = verdict.decision == decide::Decision::Ask;
    const std::string of_rule = rule_asks ? "\nA rule asks as well: " + verdict.reason : "";
    verdict.decision = decide::Decision::Ask;
    verdict.rule = contract::ask_for_rule;
    verdict.where = "the call";
    verdict.reason = contract::question_text(asked) + of_rule;
    verdict.instead = verdict.change = verdict.only_once = "";
    verdict.allow_with.clear();
    verdict.risk = std::max(
        verdict.risk, asked.mode == Mode::Open ? decide::Severity::High : decide::Severity::Medium);
    if (contract::settings_text(asked).empty())
        verdict.only_once =
            "a call may leave the walls once, and only the user's own husk.yaml "
            "or --mode changes the mode for good";
    if (rule_asks) verdict.only_once = "a rule asks about the command itself";
}

const contract::AskFor* asked_for(const contract::Action& action) {
    const auto* run = std::get_if<contract::Run>(&action);
    return run != nullptr && run->ask_for ? &*run->ask_for : nullptr;
}

}  // namespace

Judged Toolbox::verdict(const Request& request) const {
    contract::Run asked;
    asked.request = request;
    return weigh(*in_force(), asked).judged;
}

Toolbox::Weighed Toolbox::weigh(const InForce& in_force, const contract::Run& run, Shell shell) {
    const Request& request = run.request;
    const Deployment& deployment = in_force.deployment;
    const contract::Defaults& defaults = deployment.contract->defaults;
    const std::filesystem::path directory =
        in_force.start_directory() / in_force.seen_here(request) / "";
    Weighed weighed{.command = request.command,
                    .working_dir = directory.lexically_normal().parent_path()};
    Judged& judged = weighed.judged;
    judged = judge_call(request, weighed.working_dir.string(), deployment.rules,
                        {.shell_goes_on = shell == Shell::GoesOn,
                         .runs_unparsable = defaults.unparsable == contract::Unparsable::BashSaysIt,
                         .trusts_not_understood = !defaults.refuses_what_it_does_not_understand,
                         .denylist = defaults.denylist,
                         .own_checks = run.verdict,
                         .home = home_given_by_contract(run)});
    if (run.ask_for) ask_about(*run.ask_for, judged.verdict);
    // Nothing is told of a script that passed only because nobody minds.
    const bool passed = judged.verdict.rule == "not-understood" &&
                        judged.verdict.decision == decide::Decision::Allow;
    if (passed) return weighed;
    weighed.verdict = reported(judged.verdict);
    if (run.verdict && weighed.verdict.rule == run.verdict->rule)
        weighed.verdict.risk = run.verdict->risk;
    return weighed;
}

// For the audit.
void Toolbox::note(const Call& call, const Weighed& weighed) {
    audit::Asked& asked = call.audit->asked;
    asked.cwd = weighed.working_dir.string();
    asked.programs = programs_of(weighed.judged.script);
    asked.verdict = weighed.verdict;
}

// Where a rule asks, somebody else decides, at any time.
void Toolbox::permit(const std::shared_ptr<Call>& call, Weighed weighed,
                     std::function<void()> go_on) {
    using enum decide::Decision;
    call->verdict = weighed.verdict;
    note(*call, weighed);
    const decide::Decision decision = weighed.judged.verdict.decision;
    if (decision == Allow) return go_on();
    const decide::Verdict& verdict = weighed.judged.verdict;
    if (decision == Deny)
        return refuse(*call, weighed, Denied{verdict.rule, render::refusal(verdict)});
    const auto about = std::make_shared<const Weighed>(std::move(weighed));
    const auto decided = [this, call, about, go_on = std::move(go_on)](const Answer& said) {
        call->audit->asked.approval = approval_of(said);
        if (said.kind == Answer::AllowOnce) return quick_.post(go_on);
        if (said.kind == Answer::AllowAlways)
            return quick_.post([this, call, about, go_on] {
                remember_answer(*call, *about);
                go_on();
            });
        // On a worker: the thread that answers must not wait for the receiver of the result.
        quick_.post([this, call, about, said] { refuse(*call, *about, said); });
    };
    if (!call->context.approver) return decided({});
    call->context.approver(question_for(*call, *about), first_only(decided));
}

Question Toolbox::question_for(const Call& call, const Weighed& weighed) const {
    Question question = question_about(weighed.judged, deployment_.users_file);
    const contract::AskFor* asked = asked_for(call.action);
    if (asked != nullptr && question.always.why_not.empty())
        question.always.text = contract::settings_text(*asked);
    return question;
}

void Toolbox::remember_answer(Call& call, const Weighed& weighed) {
    const Judged& judged = weighed.judged;
    if (!judged.verdict.only_once.empty()) return;
    call.remembered = remember(question_for(call, weighed));
}

void Toolbox::refuse(const Call& call, const Weighed& weighed, const Answer& said) const {
    const decide::Verdict& verdict = weighed.judged.verdict;
    if (said.kind == Answer::Unanswered && call.context.cancel.stop_requested())
        return refuse(call, weighed, Cancelled{"cancelled before it was started"});
    refuse(call, weighed, Denied{verdict.rule, why_refused(said, verdict)});
}

void Toolbox::refuse(const Call& call, const Weighed& weighed, Ending ending) const {
    Report report;
    report.ending = std::move(ending);
    report.command = weighed.command;
    report.display = display_of(weighed.command, weighed.working_dir);
    report.verdict = weighed.verdict;
    finish(call, contract::Told{.report = std::move(report)});
}

}  // namespace husk::tool
