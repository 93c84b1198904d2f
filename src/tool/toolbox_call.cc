// A call of the tools, from arguments to an answer.
#include "tool/toolbox_call.h"

#include <algorithm>
#include <future>

#include "base/text.h"
#include "render/report_json.h"

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
    quick_.post([this, call = std::move(call)] { begin(call); });
}

void Toolbox::begin(const std::shared_ptr<Call>& call) {
    const contract::Contract& contract = *deployment_.contract;
    contract::Situation here = situation();
    here.answer_within = call->context.answer_within;
    if (std::ranges::find(names_, call->tool) == names_.end())
        return call->done(std::unexpected("the contract " + std::string(contract.name) +
                                          " has no tool \"" + call->tool + "\"; it has " +
                                          text::join(names_, ", ")));
    auto action = contract.decode(call->tool, call->arguments, here);
    if (!action) return call->done(contract::result_json(action.error()));
    call->action = std::move(*action);
    if (call->context.in_background)
        if (auto* run = std::get_if<contract::Run>(&call->action)) send_to_background(*run);
    std::visit([&](const auto& one) { take(call, one); }, call->action);
}

void Toolbox::take(const std::shared_ptr<Call>& call, const contract::Run& run) {
    permit(call, weigh(run), [this, call] { start(call); });
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

void Toolbox::finish(const Call& call, const Outcome& outcome) const {
    contract::Answer answer = deployment_.contract->render(call.action, outcome);
    const auto* told = std::get_if<Told>(&outcome);
    if (told != nullptr && call.context.on_report) call.context.on_report(told->report);
    if (told != nullptr && deployment_.report == Deployment::Report::InMeta)
        answer.meta["husk/report"] = report_meta(told->report);
    call.done(contract::result_json(answer));
}

}  // namespace husk::tool
