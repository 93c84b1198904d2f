// A call of the tools, from arguments to an answer.
#include "tool/toolbox_call.h"

#include <algorithm>
#include <future>

#include "base/text.h"
#include "contract/modes.h"
#include "proxy/proxy.h"
#include "render/report_json.h"
#include "tool/plan_call.h"

namespace husk::tool {
namespace {

using contract::Json;
using contract::Outcome;
using contract::Told;

Json report_meta(const Report& report) {
    Json json = render::report_json(report);
    for (const char* output : {"output", "stdout", "stderr"}) json.erase(output);
    return json;
}

// What an action says about itself.
struct NoteAction {
    audit::Asked& asked;

    void operator()(const contract::Run& run) const {
        asked.action = "run";
        asked.command = run.request.command;
        asked.description = run.request.description;
        asked.background = run.request.background;
        asked.session = run.session;
        asked.threats = run.threats;
        if (run.mode) asked.mode = contract::word(*run.mode);
    }
    void operator()(const contract::Talk& talk) const {
        asked.action = "talk";
        asked.command = talk.restart ? "" : talk.command;
    }
    void operator()(const contract::Read&) const { asked.action = "read"; }
    void operator()(const contract::Wait&) const { asked.action = "wait"; }
    void operator()(const contract::Kill&) const { asked.action = "kill"; }
    void operator()(const contract::List&) const { asked.action = "list"; }
};

// The shell that a call was about, where it ran nothing itself.
struct ShellOf {
    std::string operator()(const contract::Read& read) const { return read.shell_id; }
    std::string operator()(const contract::Wait& wait) const { return wait.shell_id; }
    std::string operator()(const contract::Kill& kill) const { return kill.shell_id; }
    template <class Other>
    std::string operator()(const Other&) const {
        return "";
    }
};

struct ErrorIn {
    std::string operator()(const contract::NoSuchShell& missing) const {
        return "there is no shell " + missing.id;
    }
    std::string operator()(const contract::Failed& failed) const { return failed.cause.text(); }
    template <class Other>
    std::string operator()(const Other&) const {
        return "";
    }
};

// Nobody waits, so that waiting has no end; unless the time shall kill it.
void send_to_background(contract::Run& run) {
    run.request.background = true;
    if (run.request.on_timeout == OnTimeout::Background) run.request.timeout.reset();
}

}  // namespace

Toolbox::Called Toolbox::call(std::string_view tool, std::string_view arguments,
                              CallContext context) {
    const auto promise = std::make_shared<std::promise<Called>>();
    call(std::string(tool), std::string(arguments), std::move(context),
         [promise](Called result) { promise->set_value(std::move(result)); });
    return promise->get_future().get();
}

void Toolbox::call(std::string tool, std::string arguments, CallContext context, Done done) {
    auto call = std::make_shared<Call>(
        Call{std::move(tool), std::move(arguments), std::move(context), std::move(done)});
    constexpr size_t short_enough = 4096;
    if (call->context.start_here && warm_ && call->arguments.size() <= short_enough)
        return begin(call, Thread::Callers);
    quick_.post([this, call = std::move(call)] { begin(call, Thread::Quick); });
}

void Toolbox::begin(const std::shared_ptr<Call>& call, Thread thread) {
    const contract::Contract& contract = *deployment_.contract;
    const std::string& via = call->context.via;
    look_at_configuration();
    call->in_force = in_force();
    const InForce& in_force = *call->in_force;
    call->audit = std::make_unique<CallAudit>(
        journal_, audit::Asked{.via = deployment_.via + (via.empty() ? "" : "/" + via),
                               .contract = std::string(contract.name),
                               .tool = call->tool,
                               .caller = deployment_.caller,
                               .workspace = deployment_.walls.workspace.string(),
                               .mode = contract::word(in_force.deployment.walls.mode)});
    contract::Situation here = in_force.situation;
    here.answer_within = call->context.answer_within;
    if (std::ranges::find(in_force.names, call->tool) == in_force.names.end()) {
        const std::string why = "the contract " + std::string(contract.name) + " has no tool \"" +
                                call->tool + "\"; it has " + text::join(in_force.names, ", ");
        call->audit->over("", why);
        return call->done(std::unexpected(why));
    }
    auto action = contract.decode(call->tool, call->arguments, here);
    if (!action) {
        call->audit->over("", action.error().text);
        return call->done(contract::result_json(action.error()));
    }
    call->action = std::move(*action);
    if (call->context.in_background)
        if (auto* run = std::get_if<contract::Run>(&call->action)) send_to_background(*run);
    std::visit(NoteAction{call->audit->asked}, call->action);
    const auto go_on = [this, call] {
        std::visit([&](const auto& one) { take(call, one); }, call->action);
    };
    const bool elsewhere =
        thread == Thread::Callers && !std::holds_alternative<contract::Run>(call->action);
    if (elsewhere) return quick_.post(go_on);  // a log can be long
    go_on();
}

// Nobody is asked about walls that could not be built, and no answer writes them down.
Result<void> Toolbox::check_ask_for(const Call& call, const contract::Run& run) const {
    if (!run.ask_for) return {};
    if (run.ask_for->network) CHECK(proxy::check_hosts(run.ask_for->network->hosts));
    return check_walls(context_for(call, run), deployment_.settings);
}

void Toolbox::take(const std::shared_ptr<Call>& call, const contract::Run& run) {
    // Before anything is done with so long a name, or it is written down anywhere.
    if (const auto named = check_working_dir(run.request.working_dir); !named) {
        Report report;
        report.ending = NotStarted{named.error()};
        report.command = report.display = run.request.command;
        return finish(*call, Told{.report = std::move(report)});
    }
    if (const auto possible = check_ask_for(*call, run); !possible) {
        Report report;
        report.ending = NotStarted{possible.error()};
        report.command = report.display = run.request.command;
        return finish(*call, Told{.report = std::move(report)});
    }
    permit(call, weigh(*call->in_force, run), [this, call] { start(call); });
}

void Toolbox::take(const std::shared_ptr<Call>& call, const contract::Wait& wait) {
    if (call->context.on_shell) call->context.on_shell(wait.shell_id);
    patient_.post([this, call, &wait] { finish(*call, perform(wait, call->context.cancel)); });
}

void Toolbox::take(const std::shared_ptr<Call>& call, const contract::Kill& kill) {
    patient_.post([this, call, &kill] { finish(*call, perform(kill)); });
}

void Toolbox::take(const std::shared_ptr<Call>& call, const contract::Talk& talk) {
    patient_.post([this, call, &talk] { converse(call, talk); });
}

template <class Quick>
void Toolbox::take(const std::shared_ptr<Call>& call, const Quick& action) {
    finish(*call, perform(action));
}

void Toolbox::tell_audit(const Call& call, const Outcome& outcome) {
    const auto* told = std::get_if<Told>(&outcome);
    const bool is_command = std::holds_alternative<contract::Run>(call.action) ||
                            std::holds_alternative<contract::Talk>(call.action);
    if (told != nullptr && is_command) return call.audit->ended(told->report);
    if (told != nullptr && std::holds_alternative<contract::Kill>(call.action))
        call.audit->saw_end_of(told->report);
    call.audit->over(std::visit(ShellOf{}, call.action), std::visit(ErrorIn{}, outcome));
}

void Toolbox::finish(const Call& call, const Outcome& outcome) const {
    const auto give = [&](const Outcome& whole) {
        contract::Answer answer = deployment_.contract->render(call.action, whole);
        const auto* told = std::get_if<Told>(&whole);
        if (told != nullptr && call.context.on_report) call.context.on_report(told->report);
        if (told != nullptr && deployment_.report == Deployment::Report::InMeta)
            answer.meta["husk/report"] = report_meta(told->report);
        call.done(contract::result_json(answer));
    };
    const auto* told = std::get_if<Told>(&outcome);
    // The spool keeps how a command ended, and the audit asks it for ends that are not recorded:
    // the answer does not have to wait for the record. A call that started nothing leaves no shell.
    const bool in_spool = call.audit->has_begun() && told != nullptr &&
                          call.forgotten_shell.empty() &&
                          !std::holds_alternative<NotStarted>(told->report.ending);
    if (!in_spool) tell_audit(call, outcome);
    if (!call.forgotten_shell.empty()) forget_output(call);
    if (told == nullptr || call.audit->trouble().empty()) {
        give(outcome);
    } else {
        Told noted = *told;
        noted.report.notes.push_back(call.audit->trouble());
        give(noted);
    }
    if (in_spool) tell_audit(call, outcome);
}

}  // namespace husk::tool
