#include "tool/gate.h"

#include <atomic>
#include <future>
#include <stop_token>
#include <utility>

#include "base/text.h"
#include "render/verdict_text.h"
#include "request/rules_file.h"
#include "tool/approval.h"
#include "tool/configuration.h"
#include "tool/plan_call.h"

namespace husk::tool {
namespace {

using Complaints = std::vector<Complaint>;

std::string text_of(const Complaints& complaints) {
    std::vector<std::string> all;
    for (const Complaint& one : complaints) all.push_back(to_text(one.where) + ": " + one.message);
    return text::join(all, "; ");
}

void add(std::vector<ShortRule>& list, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) list.push_back({text, {"Settings::checks", 0}});
}

std::expected<decide::Rules, std::string> rules_of(const Checks& checks) {
    RuleTexts texts;
    std::error_code failed;
    if (!checks.file.empty() && std::filesystem::exists(checks.file, failed)) {
        const auto text = read_rules_text(checks.file);
        if (!text) return std::unexpected(text_of(text.error()));
        auto read = read_rules(*text, checks.file.string());
        if (!read) return std::unexpected(text_of(read.error()));
        texts = *std::move(read);
    }
    add(texts.allow, checks.allow);
    add(texts.ask, checks.ask);
    add(texts.deny, checks.deny);
    auto rules = usable_rules(texts);
    if (!rules) return std::unexpected(text_of(rules.error()));
    return *std::move(rules);
}

Gate::Decided cancelled(const Judged& judged) {
    return {.verdict = reported(judged.verdict),
            .refused = Cancelled{"cancelled before it was started"}};
}

}  // namespace

// A question that nobody has answered yet. Whoever claims it first settles it.
struct Gate::Pending {
    Then then;
    Decided otherwise;
    std::atomic_flag claimed = {};
    std::unique_ptr<std::stop_callback<std::function<void()>>> on_cancel = {};

    bool claim() { return !claimed.test_and_set(); }
};

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

Gate::~Gate() {
    std::list<std::shared_ptr<Pending>> left;
    {
        const std::lock_guard lock(guard_);
        left = pending_;
    }
    for (const auto& one : left)
        if (one->claim()) settle(one, one->otherwise);
    std::unique_lock lock(guard_);
    settled_.wait(lock, [this] { return pending_.empty(); });
}

void Gate::pass(const Request& request, const ToolContext& context, Then then) {
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
    const auto pending = std::make_shared<Pending>(std::move(then), cancelled(judged));
    {
        const std::lock_guard lock(guard_);
        pending_.push_back(pending);
    }
    pending->on_cancel = std::make_unique<std::stop_callback<std::function<void()>>>(
        context.cancel, [this, weak = std::weak_ptr(pending)] {
            const auto asked = weak.lock();
            if (asked && asked->claim()) settle(asked, asked->otherwise);
        });
    // Of one that is settled nothing is left, and perhaps not this gate either.
    context.approver(question_about(judged, rules_.file()),
                     [this, judged, weak = std::weak_ptr(pending)](const Answer& answer) {
                         const auto asked = weak.lock();
                         if (asked && asked->claim()) settle(asked, decided(judged, answer));
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

void Gate::settle(const std::shared_ptr<Pending>& pending, const Decided& decided) {
    std::exchange(pending->then, nullptr)(decided);
    const std::lock_guard lock(guard_);
    pending_.remove(pending);
    settled_.notify_all();
}

}  // namespace husk::tool
