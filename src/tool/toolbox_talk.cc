// The tools of a contract whose bash stays from call to call.
#include <cerrno>

#include "run/state_dir.h"
#include "tool/lasting_bash.h"
#include "tool/toolbox_call.h"

namespace husk::tool {
namespace {

using contract::Told;
using Came = Told::Came;

// With everything that it has started.
Result<void> end(const LastingBash& bash, const Settings& settings) {
    const auto shell = bash.shell();
    if (!shell) return {};  // long gone
    const auto killed = Shells(settings).kill(shell->files.id, StopLadder{}, 0);
    if (const auto* error = std::get_if<Error>(&killed)) return std::unexpected(*error);
    return {};
}

}  // namespace

void Toolbox::converse(const std::shared_ptr<Call>& call, const contract::Talk& talk) {
    auto talked = talk_to(*call, talk);
    if (!talked) return finish(*call, contract::Failed{talked.error()});
    if (auto* told = std::get_if<Told>(&*talked)) return finish(*call, std::move(*told));
    // While somebody thinks about it the bash is free, and others may have it go elsewhere: then it
    // is another question.
    auto& weighed = std::get<Weighed>(*talked);
    permit(call, weighed, [this, call, &talk, directory = weighed.working_dir] {
        call->agreed_in = directory;
        take(call, talk);
    });
}

Result<Report> Toolbox::start_lasting(LastingBash& bash, const Call& call) {
    const contract::Run run{.request = TRY(bash.to_start())};
    const auto request = equipped(*call.in_force, run);
    if (!request) return failure("limits", 0, request.error());
    Report report = bash_.run(*request, context_for(call, run));
    if (!report.shell_id.empty()) CHECK(bash.started(report.shell_id));
    return report;
}

// Judged where the bash is, and run there.
Result<Toolbox::Talked> Toolbox::run_in(LastingBash& bash, const Call& call,
                                        const contract::Talk& talk,
                                        const os::Deadline& give_up) const {
    contract::Run asked;
    asked.request.command = talk.command;
    asked.request.working_dir = bash.directory();
    Weighed weighed = weigh(*call.in_force, asked, Shell::GoesOn);
    note(call, weighed);
    using enum decide::Decision;
    const decide::Decision decision = weighed.judged.verdict.decision;
    const bool agreed = decision == Ask && call.agreed_in == weighed.working_dir;
    if (decision != Allow && !agreed) return weighed;
    const std::stop_token& cancel = call.context.cancel;
    if (call.context.on_shell) call.context.on_shell(TRY(bash.shell()).files.id);
    bash.listen(call.context.on_output);
    const auto returned = TRY(bash.run(talk.command, give_up, cancel));
    if (!returned && cancel.stop_requested()) CHECK(end(bash, deployment_.settings));
    Told told = told_of(TRY(bash.shell()));
    told.came = told.report.ended() ? Came::BashEnded : Came::TimedOut;
    if (returned) {
        told.came = Came::Returned;
        told.report.ending = Exited{returned->code};
    }
    told.report.verdict = std::move(weighed.verdict);
    return told;
}

Result<Toolbox::Talked> Toolbox::talk_to(const Call& call, const contract::Talk& talk) {
    using State = LastingBash::State;
    if (call.context.cancel.stop_requested())
        return failure("bash", ECANCELED, "cancelled before it was run");
    const os::Deadline give_up = os::Clock::now() + talk.timeout;
    const auto files = TRY(run::StateDir::open_or_make(deployment_.settings.state));
    const std::string session = context_for(call, {}).session;
    call.audit->asked.session = session;
    LastingBash bash =
        TRY(LastingBash::of(files, deployment_.settings, session, give_up, call.context.cancel));
    State state = TRY(bash.state());
    if (talk.restart && state != State::None) CHECK(end(bash, deployment_.settings));
    if (talk.restart || state == State::None) {
        Report report = TRY(start_lasting(bash, call));
        if (talk.restart || report.shell_id.empty())
            return Told{.report = std::move(report), .came = Came::Restarted};
        state = State::Ready;
    }
    Told told;
    if (state == State::Ready) {
        Talked talked = TRY(run_in(bash, call, talk, give_up));
        if (std::holds_alternative<Weighed>(talked)) return talked;
        told = std::get<Told>(std::move(talked));
    }
    const auto shell = bash.shell();
    if (!shell) {
        told.report.ending = Lost{"its log was cleared away"};
        told.came = Came::BashHadEnded;
        return told;
    }
    if (state != State::Ready) {
        told = told_of(*shell);
        told.came = state == State::Busy ? Came::StillBusy : Came::BashHadEnded;
    }
    CHECK(add_portion(told, *shell, talk.portion, bash.told()));
    CHECK(bash.tell_up_to(bash.told() + told.out.total));
    return told;
}

}  // namespace husk::tool
