#include "decide/decide.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "decide/approval.h"
#include "decide/check.h"
#include "decide/files.h"
#include "decide/suggest.h"
#include "decide/variables.h"
#include "decide/working_directory.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Script;

constexpr std::string_view destroyers = "destroyers";

std::string quoted(const std::string& text) { return "\"" + text + "\""; }

// It only hands on to another command, which is judged too, or sets a harmless variable.
bool runs_nothing_itself(const Command& command) {
    if (!command.words.empty())
        return parse::is_transparent_wrapper(command) && !sets_what_runs(command);
    return command.redirects.empty() && !sets_what_runs(command);
}

// What the rules that ask and deny say about a command.
struct Restriction {
    const Rule* rule = nullptr;  // null if none has a say
    Match match = Match::No;
    bool may_be_meant = false;  // a rule may be meant, depending on what is not known

    // A rule that would deny asks if it only may be meant.
    Decision decision() const { return match == Match::Yes ? rule->decision : Decision::Ask; }
};

// Everything that a judgement of one command is made from.
class Court {
public:
    Court(const Script& script, const Rules& rules, const Context& context)
        : script_(script), rules_(rules), approval_(approval_of(script, rules, context)) {
        for (Finding& finding : findings(script, rules.packs, context))
            findings_[finding.command].push_back(std::move(finding));
        restricts_ =
            rules.mode == Mode::Strict || std::ranges::any_of(rules.rules, [](const Rule& rule) {
                return rule.decision != Decision::Allow;
            });
    }

    // The order in which the answers are tried is the order of their strength.
    Judgement judge(const Subject& subject) const {
        const size_t command = subject.index;
        if (auto found = found_by_pack(command, Decision::Deny, Packs::OnlyDestroyers)) {
            // Another pack may say the same, and what to do instead.
            if (rules_.mode == Mode::BypassPermissions) return *found;
            return *found_by_pack(command, Decision::Deny, Packs::All);
        }
        if (rules_.mode == Mode::BypassPermissions) return bypassed(command);
        const Restriction restriction = restricted_by_rule(subject);
        if (restriction.rule && restriction.decision() == Decision::Deny)
            return judged(subject, restriction);
        if (auto found = found_by_pack(command, Decision::Deny, Packs::All)) return *found;
        if (auto found = hidden(command)) return *found;
        if (auto found = asked_about(subject, restriction)) return *found;
        if (auto found = allowed_by_rule(subject)) return *found;
        return by_default(command);
    }

private:
    enum class Packs : uint8_t { OnlyDestroyers, All };

    std::optional<Judgement> found_by_pack(size_t command, Decision decision, Packs packs) const {
        const auto found = findings_.find(command);
        if (found == findings_.end()) return std::nullopt;
        for (const Finding& finding : found->second) {
            if (finding.decision != decision) continue;
            if (packs == Packs::OnlyDestroyers && finding.pack != destroyers) continue;
            return Judgement{.command = command,
                             .decision = decision,
                             .rule = finding.check,
                             .where = "built in: " + finding.pack,
                             .reason = finding.reason,
                             .instead = finding.instead,
                             .severity = finding.severity,
                             .confidence = finding.confidence,
                             .evidence = finding.evidence};
        }
        return std::nullopt;
    }

    // By a rule or a pack, unless a person has said "always".
    std::optional<Judgement> asked_about(const Subject& subject,
                                         const Restriction& restriction) const {
        auto found = restriction.rule ? std::optional(judged(subject, restriction))
                                      : found_by_pack(subject.index, Decision::Ask, Packs::All);
        if (!found) return found;
        found->only_once = is_grave(subject.index)
                               ? "it may do great harm, so it is asked each time"
                               : why_not_kept(subject, restriction.may_be_meant);
        if (approval_ == nullptr || !found->only_once.empty()) return found;
        return Judgement{
            .command = subject.index, .rule = "approved", .where = text_of(approval_->where)};
    }

    bool is_grave(size_t command) const {
        const auto found = findings_.find(command);
        return found != findings_.end() &&
               std::ranges::any_of(found->second, [](const Finding& finding) {
                   return finding.severity >= Severity::High;
               });
    }

    // The first rule that denies; if there is none, the first that asks, or that would deny and may
    // be meant.
    Restriction restricted_by_rule(const Subject& subject) const {
        Restriction strictest;
        for (const Rule& rule : rules_.rules) {
            if (rule.decision == Decision::Allow) continue;
            const Match found = match(rule, subject);
            if (found == Match::No) continue;
            strictest.may_be_meant |= found == Match::Maybe;
            const Restriction here{&rule, found, strictest.may_be_meant};
            if (here.decision() == Decision::Deny) return here;
            if (!strictest.rule) strictest = here;
        }
        return strictest;
    }

    static Judgement judged(const Subject& subject, const Restriction& restriction) {
        const Rule& rule = *restriction.rule;
        return Judgement{.command = subject.index,
                         .decision = restriction.decision(),
                         .rule = rule.name,
                         .where = rule.where,
                         .reason = reason_of(rule, restriction.match, subject.command),
                         .instead = rule.instead,
                         .change = rule.name + " at " + rule.where};
    }

    static std::string reason_of(const Rule& rule, Match found, const Command& command) {
        const std::string verb = rule.decision == Decision::Deny ? "denies" : "asks about";
        if (found == Match::Maybe)
            return "Part of " + quoted(command.text) +
                   " is not known before it runs. It may be what the rule " + rule.name + " " +
                   verb + "." + (rule.reason.empty() ? "" : " " + rule.reason);
        if (!rule.reason.empty()) return rule.reason;
        return "The rule " + rule.name + " " + verb + " this.";
    }

    // Rules say nothing about what cannot be seen, so somebody has to look at it.
    std::optional<Judgement> hidden(size_t index) const {
        if (!restricts_) return std::nullopt;
        const Command& command = script_.commands[index];
        const bool unknown = !command.words.empty() && !command.words.front().known();
        if (!unknown && command.opaque.empty()) return std::nullopt;
        Judgement judgement{.command = index, .where = "built in"};
        judgement.decision = rules_.mode == Mode::Strict ? Decision::Deny : Decision::Ask;
        judgement.rule = unknown ? "unknown-program" : "hidden-code";
        judgement.reason = unknown ? "Which program " + quoted(command.text) +
                                         " runs is not known before, so no rule can allow it."
                                   : "More is run here than can be seen: " + command.opaque + ".";
        judgement.instead = "Write out what is to be run.";
        judgement.only_once = "what it runs is not known before";
        return judgement;
    }

    std::optional<Judgement> allowed_by_rule(const Subject& subject) const {
        const Command& command = subject.command;
        if (!command.opaque.empty()) return std::nullopt;
        if (!command.words.empty() && !command.words.front().known()) return std::nullopt;
        for (const Rule& rule : rules_.rules) {
            if (rule.decision != Decision::Allow) continue;
            if (match(rule, subject) != Match::Yes) continue;
            return Judgement{.command = subject.index, .rule = rule.name, .where = rule.where};
        }
        return std::nullopt;
    }

    Judgement by_default(size_t index) const {
        Judgement judgement{.command = index};
        if (rules_.mode != Mode::Strict || runs_nothing_itself(script_.commands[index]))
            return judgement;
        judgement.decision = Decision::Deny;
        judgement.rule = "strict";
        judgement.where = rules_.mode_where;
        judgement.reason = "No rule allows " + quoted(script_.commands[index].text) +
                           ", and in the mode strict only what a rule allows is run.";
        judgement.allow_with = suggest(script_, index);
        return judgement;
    }

    Judgement bypassed(size_t command) const {
        return {.command = command, .rule = "bypassPermissions", .where = rules_.mode_where};
    }

    const Script& script_;
    const Rules& rules_;
    const Approval* approval_;
    std::map<size_t, std::vector<Finding>> findings_;
    bool restricts_ = false;
};

// The script as a whole, where no single command decides.
std::optional<Judgement> judge_script(const Script& script, const Rules& rules) {
    Judgement judgement{.where = "built in"};
    if (script.error) {
        judgement.decision = Decision::Deny;
        judgement.rule = "unparsable";
        judgement.reason = "This is no script that can be run: " + script.error->message +
                           " (line " + std::to_string(script.error->line) + ").";
        return judgement;
    }
    if (script.understood() || rules.mode == Mode::BypassPermissions) return std::nullopt;
    judgement.decision = rules.mode == Mode::Strict ? Decision::Deny : Decision::Ask;
    judgement.rule = "not-understood";
    judgement.reason = "Part of this script is not understood";
    for (const std::string& why : script.not_understood)
        judgement.reason += (&why == &script.not_understood.front() ? ": " : "; ") + why;
    judgement.reason += ".";
    judgement.instead = "Write it more simply, or as several commands.";
    return judgement;
}

void deny_instead_of_asking(Judgement& judgement) {
    if (judgement.decision != Decision::Ask) return;
    judgement.decision = Decision::Deny;
    judgement.reason += " Nobody is asked in the mode dontAsk, so it is denied.";
}

// All the rules that it would take; none if one of the commands may not be allowed by a rule.
std::vector<std::string> rules_to_add(const Verdict& verdict) {
    std::vector<std::string> rules;
    for (const Judgement& judgement : verdict.commands) {
        if (judgement.decision == Decision::Allow) continue;
        if (judgement.allow_with.empty()) return {};
        if (std::ranges::find(rules, judgement.allow_with) == rules.end())
            rules.push_back(judgement.allow_with);
    }
    return rules;
}

Severity risk_of(const Judgement& judgement) {
    if (judgement.severity) return *judgement.severity;
    switch (judgement.decision) {
        case Decision::Allow: break;
        case Decision::Ask: return Severity::Medium;
        case Decision::Deny: return Severity::High;
    }
    return Severity::Low;
}

void take(Verdict& verdict, const Judgement& judgement) {
    verdict.decision = judgement.decision;
    verdict.rule = judgement.rule;
    verdict.where = judgement.where;
    verdict.reason = judgement.reason;
    verdict.instead = judgement.instead;
    verdict.change = judgement.change;
}

// The command that decided. All allowed is only said to be by a rule if no command went without.
const Judgement* decisive(const Verdict& verdict, const Script& script) {
    const auto strictest =
        std::ranges::max_element(verdict.commands, {}, [](const Judgement& judgement) {
            return std::pair(judgement.decision, risk_of(judgement));
        });
    if (strictest == verdict.commands.end()) return nullptr;
    if (strictest->decision != Decision::Allow) return &*strictest;
    const Judgement* by_rule = nullptr;
    for (const Judgement& judgement : verdict.commands) {
        if (!judgement.rule.empty())
            by_rule = by_rule ? by_rule : &judgement;
        else if (!runs_nothing_itself(script.commands[judgement.command]))
            return nullptr;
    }
    return by_rule;
}

// One that is asked about and cannot be approved is enough.
std::string only_once(const Verdict& verdict, const Script& script, const Context& context) {
    if (verdict.decision != Decision::Ask) return "";
    std::string why = why_not_kept(script, context);
    for (const Judgement& judgement : verdict.commands)
        if (why.empty()) why = judgement.only_once;
    return why;
}

void sum_up(Verdict& verdict, const Script& script, const std::optional<Judgement>& whole) {
    if (const Judgement* judgement = decisive(verdict, script)) take(verdict, *judgement);
    for (const Judgement& judgement : verdict.commands)
        verdict.risk = std::max(verdict.risk, risk_of(judgement));
    if (!whole) {
        verdict.allow_with = rules_to_add(verdict);
        return;
    }
    verdict.risk = std::max(verdict.risk, risk_of(*whole));
    // Of a text that is no script, nothing else is worth saying.
    if (script.error || whole->decision > verdict.decision) take(verdict, *whole);
}

}  // namespace

Verdict decide(const Script& script, const Rules& rules, const Context& context) {
    Verdict verdict{.understood = script.understood(), .files = file_uses(script)};
    const Court court(script, rules, context);
    Context here = context;
    for (size_t i = 0; i < script.commands.size(); ++i) {
        const Context inside = context_inside(script, i, here);
        verdict.commands.push_back(court.judge(Subject(script, i, context, inside)));
        here = context_after(script.commands[i], std::move(here));
    }
    std::optional<Judgement> whole = judge_script(script, rules);

    if (rules.mode == Mode::DontAsk) {
        std::ranges::for_each(verdict.commands, deny_instead_of_asking);
        if (whole) deny_instead_of_asking(*whole);
    }
    sum_up(verdict, script, whole);
    verdict.only_once = only_once(verdict, script, context);
    return verdict;
}

}  // namespace husk::decide
