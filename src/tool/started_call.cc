#include "tool/started_call.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/moment.h"
#include "collect/stream.h"
#include "confine/checks.h"
#include "confine/globs.h"
#include "confine/view.h"
#include "os/file.h"
#include "request/directory_advice.h"
#include "request/environment.h"
#include "tool/display_of.h"
#include "tool/links_out.h"
#include "tool/live_use.h"
#include "tool/report_of.h"
#include "tool/revert.h"
#include "tool/standard_input.h"

namespace husk::tool {
namespace {

// A keeper takes a plan within a millisecond; only a machine out of processes needs longer.
constexpr auto start_patience = std::chrono::seconds(10);
constexpr auto cancel_again = std::chrono::milliseconds(10);
constexpr auto look_again = std::chrono::milliseconds(10);
// The nursery writes how a killed keeper's command ended, unless it was killed before the nursery
// knew the record.
constexpr auto write_off_patience = std::chrono::seconds(2);
// The kernel takes longer to end a watch than a short command takes altogether.
constexpr auto watch_after = std::chrono::milliseconds(10);

Surroundings surroundings_of(const confine::Wanted& wanted) {
    if (!wanted.closed()) return {};
    return {.closed = true,
            .home = confine::home_inside(wanted),
            .temporary = confine::temporary_inside(wanted),
            .true_home = confine::has_home(wanted) || wanted.allowed ? "" : wanted.home,
            .proxy_port = confine::proxy_port_of(wanted),
            .offline = wanted.network.kind == Network::Kind::None,
            .sockets = wanted.sockets};
}

// The same files, as a reader sees them.
Result<collect::ShellFiles> as_reader(const run::CallFiles& files) {
    const auto copy = [](const os::Fd& fd) -> Result<os::Fd> {
        if (!fd) return os::Fd();
        os::Fd duplicate(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
        if (!duplicate) return failure("fcntl", errno, "");
        return duplicate;
    };
    collect::ShellFiles reader;
    reader.id = files.shell_id;
    reader.record = TRY(copy(files.record));
    reader.log = TRY(copy(files.log));
    reader.error_log = TRY(copy(files.error_log));
    reader.log_path = files.log_path;
    reader.error_log_path = files.error_log_path;
    return reader;
}

// The record of a call that is to be started.
record::Record first_page(const run::LaunchPlan& launch, const run::Session& session) {
    record::Record page{};
    page.cap = launch.keep_output_bytes;
    page.created = text::now_ns();
    page.deadline_ms = launch.timeout ? static_cast<uint64_t>(launch.timeout->count()) : 0;
    if (launch.streams == Streams::Split) page.flags |= record::SplitStreams;
    if (launch.background) page.flags |= record::InBackground;
    if (session.closed()) page.flags |= record::BehindWalls;
    return page;
}

// From the call to the moment when the keeper started the command. Both clocks are the monotonic
// one of the machine.
Startup startup_of(const CallPlan& plan, const record::Record& record) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    Startup startup;
    if (record.main == 0) return startup;
    const std::chrono::nanoseconds began(static_cast<int64_t>(record.started_mono));
    const auto built = plan.session_built_in.value_or(std::chrono::nanoseconds(0));
    const auto waited = began - plan.asked_at.time_since_epoch() - built;
    if (plan.session_built_in) startup.session_ms = Milliseconds(built).count();
    if (waited.count() >= 0) startup.call_ms = Milliseconds(waited).count();
    return startup;
}

}  // namespace

Result<StartedCall> StartedCall::start(CallPlan& plan, std::shared_ptr<run::Session> session,
                                       const ToolContext& context) {
    const auto earlier = session->protection();
    CHECK(session->restore_protection());
    CHECK(session->restore_proxy());
    if (earlier)
        for (std::string& warning : warnings_since(*earlier, *session))
            plan.notes.push_back(std::move(warning));
    const Surroundings surroundings = surroundings_of(session->wanted());
    plan.launch.env = command_environment(plan.env, plan.working_dir, surroundings);
    // Told once, by the call for which the session was made.
    if (plan.session_built_in && plan.starts == 0)
        if (std::string note = note_on_dropped(dropped_variables(plan.env, surroundings));
            !note.empty())
            plan.notes.push_back(std::move(note));
    // Behind walls it is entered by name: a descriptor would lead outside.
    plan.launch.directory = session->has_own_view()
                                ? confine::name_inside(session->wanted(), plan.working_dir).string()
                                : "";
    run::Call::Belongings belongings;
    OpenedInput input = TRY(open_input(plan.input, *session));
    belongings.input = std::move(input.file);
    plan.launch.input = input.way;
    belongings.cgroup = run::make_ceilings(plan.launch.ceilings);
    const uint32_t cgroup_files = belongings.cgroup ? run::files_of(*belongings.cgroup).present : 0;
    const std::string message = TRY(run::encode(plan.launch, cgroup_files));
    belongings.directory =
        TRY(confine::open_working_directory(session->has_own_view() ? "/" : plan.working_dir));

    const record::Record page = first_page(plan.launch, *session);
    const bool split = (page.flags & record::SplitStreams) != 0;
    run::CallFiles files = TRY(run::make_call_files(session->dir(), page, plan.call_json, split));
    // Now: without free descriptors nothing is started, and nothing that ran goes unread.
    auto reader = as_reader(files);
    if (!reader) {
        run::remove_call_files(session->dir(), files.number);
        return std::unexpected(reader.error());
    }

    StartedCall started;
    started.on_output_ = context.on_output;
    started.reader_ = std::move(*reader);
    const uint64_t number = files.number;
    // Before anything runs: a caller that is killed later does not hide from the audit what it
    // started.
    if (context.on_start) context.on_start(files.shell_id);
    auto call =
        run::Call::start(*session, plan.launch, message, std::move(belongings), std::move(files));
    if (!call) {
        run::remove_call_files(session->dir(), number);
        return std::unexpected(call.error());
    }
    started.call_ = std::move(*call);
    started.plan_ = std::move(plan);
    ++started.plan_.starts;
    started.before_ = session->protection();
    started.session_ = std::move(session);
    started.started_at_ = os::Clock::now();
    // Now, while bash starts: this thread has nothing else to do.
    started.session_->make_ahead();
    return started;
}

bool StartedCall::must_be_repeated() const {
    // As many keepers may be dying as there are spares, and each takes a plan with it.
    constexpr int most_starts = 16;
    constexpr int most_when_overdue = 2;
    return taken_back_ && !cancelled_ &&
           plan_.starts < (overdue_ ? most_when_overdue : most_starts);
}

void StartedCall::add_fds(std::vector<pollfd>& fds) const {
    // At its end it would be ready all the time.
    fds.push_back({look_at_ ? -1 : call_.lifeline(), POLLIN, 0});
    fds.push_back({nursery_watched_ ? session_->nursery() : -1, POLLRDHUP, 0});
    fds.push_back({watch_ ? watch_->fd() : -1, POLLIN, 0});
}

os::Deadline StartedCall::deadline() const {
    if (look_at_) return look_at_;
    if (cancelled_ && !stop_sent_) return os::Clock::now() + cancel_again;
    if (watch_ && watch_->interval()) return os::Clock::now() + *watch_->interval();
    if (on_output_ && !watch_) return started_at_ + watch_after;
    if (background_confirmed_) return started_at_ + plan_.early_end;
    if (nursery_watched_) return started_at_ + start_patience;
    return std::nullopt;
}

bool StartedCall::on_news(run::News news) {
    if (news == run::News::Started) background_confirmed_ = true;
    return news == run::News::Background || news == run::News::Ended || news == run::News::Gone;
}

bool StartedCall::advance() {
    if (watch_) watch_->clear();
    if (on_output_ && !watch_ && os::Clock::now() >= started_at_ + watch_after) watch_logs();
    const bool over = advance_without_output();
    // After the news: whatever was written before the ending is given with it.
    if (on_output_ && !taken_back_) give_output();
    return over;
}

void StartedCall::watch_logs() {
    std::vector<int> logs = {call_.files().log.get()};
    if (call_.files().error_log) logs.push_back(call_.files().error_log.get());
    watch_.emplace(logs);
}

void StartedCall::give_output() {
    constexpr size_t chunk = 256 * 1024;
    for (const collect::Which which : {collect::Which::Output, collect::Which::Errors}) {
        const bool errors = which == collect::Which::Errors;
        if (errors && !reader_.error_log) break;
        uint64_t& given = errors ? given_err_ : given_out_;
        const auto now = collect::stream_state(reader_, which);
        // What comes meanwhile waits for the next turn: a flood must not hold up the news.
        while (now && given < now->kept.stored_end) {
            auto piece = collect::read_from(reader_, which, given, chunk);
            if (!piece || piece->bytes.empty()) break;
            given = piece->end();
            on_output_({errors, piece->at, std::move(piece->bytes), piece->dropped_before});
        }
    }
}

bool StartedCall::advance_without_output() {
    if (taken_back_) return true;
    if (look_at_) return is_written_off();
    const run::News news = call_.hear();
    if (news == run::News::Dropped) {
        // The session ended with the plan still in its queue, or a keeper that had it was killed.
        taken_back_ = call_.take_back();
        started_at_ = os::Clock::now();  // of the wait for the nursery, which says how it ended
        return taken_back_ || is_written_off();
    }
    // An ending that was asked for is the end of the whole tree.
    if (on_news(news) && !(stop_sent_ && news == run::News::Background)) return true;
    if (cancelled_ && !stop_sent_) return try_to_cancel();
    const auto now = os::Clock::now();
    if (background_confirmed_ && now >= started_at_ + plan_.early_end) return true;
    overdue_ = now >= started_at_ + start_patience;
    if (nursery_watched_ && (overdue_ || session_->is_ending())) {
        if (call_.take_back()) return taken_back_ = true;
        nursery_watched_ = false;  // a keeper has it, and needs no nursery
    }
    return false;
}

// Asked again and again, not waited for: the thread that asks has other calls.
bool StartedCall::is_written_off() {
    const auto now = os::Clock::now();
    look_at_ = now + look_again;
    if (now >= started_at_ + write_off_patience || session_->is_ending()) return true;
    const os::Fd& file = call_.files().record;
    record::Record page{};
    if (::pread(file.get(), &page, sizeof page, 0) != sizeof page) return true;
    return page.state >= record::State::Ended || run::keeper_of(file) != 0;
}

void StartedCall::cancel() {
    cancelled_ = true;
    if (!stop_sent_) taken_back_ = try_to_cancel();
}

// Either a keeper has it and is told, or none has and none will. Between the two it is tried
// again.
bool StartedCall::try_to_cancel() {
    const run::CallFiles& files = call_.files();
    record::Record page{};
    const bool read = ::pread(files.record.get(), &page, sizeof page, 0) == sizeof page;
    stop_sent_ =
        read &&
        run::stop(files.record, page, record::Reason::Cancelled, plan_.launch.stop).has_value();
    if (stop_sent_) return false;
    return taken_back_ = call_.take_back();
}

Report StartedCall::report() const {
    Report report;
    const auto failed = [&](const Error& error) {
        report.ending = NotStarted{error};
        report.command = plan_.note.command;
        report.display = display_of(plan_.note.command, plan_.working_dir);
        report.session = plan_.note.session;
        return report;
    };
    // What was not started is no shell.
    if (taken_back_) run::remove_call_files(session_->dir(), call_.files().number);
    if (taken_back_ && cancelled_) {
        report = failed({});
        report.ending = Cancelled{"cancelled before it was started"};
        return report;
    }
    if (taken_back_) {
        return failed({"start", 0,
                       "no keeper took the command within 10 s; is the machine out of processes?"});
    }
    const auto now = collect::look(reader_, os::Clock::now());
    if (!now) {
        report = failed({});
        report.ending = Lost{"its record cannot be read: " + now.error().text()};
        return report;
    }
    if (const auto* refused = std::get_if<NotStarted>(&now->ending)) {
        run::remove_call_files(session_->dir(), call_.files().number);
        Error cause = refused->cause;
        // Behind walls only the session can tell what is there.
        if (now->record.step == record::Step::EnterDirectory)
            cause.detail =
                plan_.working_dir.string() + "; " + std::string(config::directory_advice);
        return failed(cause);
    }
    report = report_of(reader_, *now, plan_.note);
    report.startup = startup_of(plan_, now->record);
    if (!report.ended()) add_live_use(report, *now);
    for (const std::string& variable : plan_.launch.env)
        report.environment.push_back(variable.substr(0, variable.find('=')));
    if (auto added = add_output(report, reader_, Whole{}, plan_.max_output_bytes); !added)
        report.notes.push_back("the output could not be read: " + added.error().text());
    report.notes.insert(report.notes.begin(), plan_.notes.begin(), plan_.notes.end());
    // The keeper knows whether its tree is empty. A list of processes does not: one that forks and
    // ends all the time is in none.
    const bool lives_on = now->tree_lives || !report.ended();
    // Before anybody looks: what another command makes meanwhile is not the user's.
    const auto settled = os::Clock::now();
    if (before_) {
        tell_replaced(*before_, *session_, report);
        revert(*before_, *session_, lives_on ? Tree::LivesOn : Tree::IsGone, report);
    }
    if (!lives_on) session_->note_settled(settled);
    tell_links_out(report, confine::writable_roots(session_->wanted()), now->record.started);
    if (lives_on && std::ranges::any_of(session_->wanted().protect, confine::is_glob))
        report.notes.emplace_back(
            "what it makes from now on under a name that a pattern of `protect` matches is left "
            "there; it is protected from the next call on");
    return report;
}

}  // namespace husk::tool
