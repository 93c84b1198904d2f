// The tools of a contract whose bash stays from call to call.
#include "run/state_dir.h"
#include "tool/lasting_bash.h"
#include "tool/toolbox.h"

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

contract::Outcome Toolbox::perform(const contract::Talk& talk, const std::stop_token& cancel,
                                   const OnRecord&) {
    auto told = talk_to(talk, cancel);
    if (!told) return contract::Failed{told.error()};
    return *std::move(told);
}

Result<Report> Toolbox::start_lasting(LastingBash& bash) {
    const contract::Run run{.request = TRY(bash.to_start())};
    const auto request = equipped(run);
    if (!request) return failure("limits", 0, request.error());
    Report report = bash_.run(*request, context_for(run));
    if (!report.shell_id.empty()) CHECK(bash.started(report.shell_id));
    return report;
}

// Judged where the bash is, and run there.
Result<Told> Toolbox::run_in(LastingBash& bash, const contract::Talk& talk,
                             const os::Deadline& give_up, const std::stop_token& cancel) {
    contract::Run asked;
    asked.request.command = talk.command;
    asked.request.working_dir = bash.directory();
    Verdict verdict;
    if (auto report = refused(asked, verdict)) return Told{.report = *std::move(report)};
    const auto returned = TRY(bash.run(talk.command, give_up, cancel));
    if (!returned && cancel.stop_requested()) CHECK(end(bash, deployment_.settings));
    Told told = told_of(TRY(bash.shell()));
    told.came = told.report.ended() ? Came::BashEnded : Came::TimedOut;
    if (returned) {
        told.came = Came::Returned;
        told.report.ending = Exited{returned->code};
    }
    told.report.verdict = std::move(verdict);
    return told;
}

Result<Told> Toolbox::talk_to(const contract::Talk& talk, const std::stop_token& cancel) {
    using State = LastingBash::State;
    const os::Deadline give_up = os::Clock::now() + talk.timeout;
    const auto files = TRY(run::StateDir::open_or_make(deployment_.settings.state));
    const std::string session = context_for({}).session;
    LastingBash bash = TRY(LastingBash::of(files, deployment_.settings, session, give_up, cancel));
    State state = TRY(bash.state());
    if (talk.restart && state != State::None) CHECK(end(bash, deployment_.settings));
    if (talk.restart || state == State::None) {
        Report report = TRY(start_lasting(bash));
        if (talk.restart || report.shell_id.empty())
            return Told{.report = std::move(report), .came = Came::Restarted};
        state = State::Ready;
    }
    Told told;
    if (state == State::Ready) {
        told = TRY(run_in(bash, talk, give_up, cancel));
        if (std::holds_alternative<Denied>(told.report.ending)) return told;
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
