// Whether a command may be run: what the rules say, and whoever is asked.
#include <cstdlib>

#include "render/verdict_text.h"
#include "tool/configuration_edit.h"
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
    judged.verdict.only_once = "the contract asks about it each time";
}

std::string why_refused(const Consent& said, const decide::Verdict& verdict) {
    if (said.kind == Consent::NotAsked) return render::refusal(verdict);
    return (said.why.empty() ? "the user was asked and declined" : said.why) + ": " +
           verdict.reason;
}

audit::Approval approval_of(const Consent& said) {
    if (said.kind == Consent::NotAsked || said.by.empty())
        return {.answer = "nobody", .reason = said.why};
    if (said.kind == Consent::Declined)
        return {.answer = "declined", .by = said.by, .reason = said.why};
    const bool always = said.always || said.kind == Consent::GivenAlways;
    return {.answer = "given", .by = said.by, .scope = always ? "always" : "once"};
}

}  // namespace

std::shared_ptr<const decide::Rules> Toolbox::rules() const {
    const std::lock_guard lock(rules_guard_);
    return rules_;
}

void Toolbox::use_rules(decide::Rules rules) {
    auto fresh = std::make_shared<const decide::Rules>(std::move(rules));
    const std::lock_guard lock(rules_guard_);
    rules_ = std::move(fresh);
}

std::string Toolbox::remember(const std::string& directory, const std::string& command) {
    const auto& [path, rules_again] = deployment_.memory;
    const std::string file = path.string();
    if (const auto written = approve_always(path, directory, command); !written)
        return "it is allowed once; " + file + " was not changed: " + written.error();
    if (rules_again) {
        auto fresh = rules_again();
        if (!fresh) return "written to " + file + ", which does not count yet: " + fresh.error();
        use_rules(*std::move(fresh));
    }
    return "written to " + file;
}

Judged Toolbox::verdict(const std::string& command,
                        const std::filesystem::path& working_dir) const {
    contract::Run asked;
    asked.request.command = command;
    asked.request.working_dir = working_dir;
    return weigh(asked).judged;
}

// A directory of a container by the name that it has on this host, where rules and people know it.
std::filesystem::path Toolbox::seen_here(const Request& request) const {
    const std::filesystem::path& asked = request.working_dir;
    if (!deployment_.container || !asked.is_absolute()) return asked;
    const auto below = asked.lexically_normal().lexically_relative(place::workspace_inside);
    return below.empty() || *below.begin() == ".." ? asked : below;
}

Toolbox::Weighed Toolbox::weigh(const contract::Run& run) const {
    const Request& request = run.request;
    const contract::Defaults& defaults = deployment_.contract->defaults;
    const std::filesystem::path directory = deployment_.walls.workspace / seen_here(request) / "";
    Weighed weighed{.command = request.command,
                    .working_dir = directory.lexically_normal().parent_path()};
    const char* home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
    const decide::Context context = {.working_directory = weighed.working_dir.string(),
                                     .home = home == nullptr ? "" : home};
    Judged& judged = weighed.judged;
    const auto rules = this->rules();
    judged = judge(request.command, *rules, context);
    // bash runs the lines before the one that it cannot read.
    if (judged.rejected && defaults.unparsable == contract::Unparsable::BashSaysIt)
        judged = judge_readable(request.command, *rules, context);
    judged.working_dir = context.working_directory;
    add_own_checks(judged, run.verdict);
    if (!defaults.refuses_what_it_does_not_understand && only_not_understood(judged, *rules)) {
        judged.verdict.decision = decide::Decision::Allow;
        return weighed;
    }
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
    if (decision == Ask && !call->context.ask)
        call->audit->asked.approval = audit::Approval{.answer = "nobody"};
    if (decision == Deny || !call->context.ask)
        return refuse(*call, weighed, render::refusal(weighed.judged.verdict));
    const auto about = std::make_shared<const Weighed>(std::move(weighed));
    call->context.ask(about->judged, [this, call, about, go_on = std::move(go_on)](Consent said) {
        call->audit->asked.approval = approval_of(said);
        if (said.kind == Consent::Given) return quick_.post(go_on);
        if (said.kind == Consent::GivenAlways)
            return quick_.post([this, call, about, go_on] {
                const Judged& judged = about->judged;
                if (judged.verdict.only_once.empty())
                    call->remembered = remember(judged.working_dir, judged.script.source);
                go_on();
            });
        refuse(*call, *about, why_refused(said, about->judged.verdict));
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
