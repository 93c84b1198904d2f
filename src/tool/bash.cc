#include <husk/bash.h>

#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <thread>

#include "collect/ledger.h"
#include "os/file.h"
#include "os/procfs.h"
#include "tool/gate.h"
#include "tool/own_files.h"
#include "tool/plan_call.h"
#include "tool/shared_cache.h"
#include "tool/waiter.h"

namespace husk {
namespace {

Report not_started(const Request& request, const ToolContext& context, const Error& error) {
    Report report;
    report.ending = NotStarted{error};
    if (error.code == ECANCELED) report.ending = Cancelled{"cancelled before it was started"};
    report.command = report.display = request.command;
    report.session = context.session;
    return report;
}

Report refused(const Request& request, const ToolContext& context,
               const tool::Gate::Decided& decided) {
    Report report;
    report.ending = *decided.refused;
    report.command = report.display = request.command;
    report.session = context.session;
    decided.tell(report);
    return report;
}

}  // namespace

struct Bash::Inside {
    explicit Inside(Settings given) : settings(std::move(given)), umask(os::own_umask()) {}

    Result<void> open_state();
    // The session, and whether it is new to this object.
    using Found = std::pair<std::shared_ptr<run::Session>, bool>;
    Result<Found> session_for(const std::string& name, const confine::Wanted& wanted);
    void forget_session(const std::shared_ptr<run::Session>& session);
    ToolContext with_protected_rules(ToolContext context) const;
    Result<tool::StartedCall> start(const Request& request, const ToolContext& context);
    // Hands a plan over that is already complete.
    Result<tool::StartedCall> start(tool::CallPlan plan, const ToolContext& context);
    // What decides before anything is started; none where nothing is checked.
    Result<tool::Gate*> checks();
    // For calls that nobody waits for in a thread of their own.
    Result<void> make_waiter();
    // Without judging it.
    void begin(const Request& request, ToolContext context, std::function<void(Report)> done);
    void tell(std::function<void(Report)> done, Report report) const;
    // The report, and the disk that the call did not need goes back.
    Report finish(const tool::StartedCall& call);

    Settings settings;
    unsigned umask;
    std::mutex guard;
    std::unique_ptr<run::StateDir> state;
    std::optional<collect::Ledger> ledger;
    // By name, and by walls: of our own ("") there is one for each kind of walls.
    std::map<std::pair<std::string, std::string>, std::shared_ptr<run::Session>> sessions;
    std::unique_ptr<tool::Waiter> waiter;
    std::unique_ptr<tool::Gate> gate;  // goes first: what it lets pass needs all the rest
};

Result<void> Bash::Inside::open_state() {
    if (state) return {};
    auto opened = std::make_unique<run::StateDir>(TRY(run::StateDir::open_or_make(settings.state)));
    ledger = TRY(collect::Ledger::open(*opened, settings.state_quota));
    state = std::move(opened);
    return {};
}

Result<Bash::Inside::Found> Bash::Inside::session_for(const std::string& name,
                                                      const confine::Wanted& wanted) {
    const std::lock_guard lock(guard);
    CHECK(open_state());
    std::shared_ptr<run::Session>& session = sessions[{name, wanted.fingerprint()}];
    if (session && !session->is_ending()) return Found{session, false};
    if (name.empty()) {
        session = TRY(run::Session::make_private(*state, settings.linger, wanted));
    } else {
        session = TRY(run::Session::join(*state, name, settings.linger, wanted));
    }
    return Found{session, true};
}

void Bash::Inside::forget_session(const std::shared_ptr<run::Session>& session) {
    const std::lock_guard lock(guard);
    std::erase_if(sessions, [&](const auto& one) { return one.second == session; });
}

// A command must not change the rules by which the next one is judged.
ToolContext Bash::Inside::with_protected_rules(ToolContext context) const {
    if (!settings.checks) return context;
    if (auto name = tool::reachable_file(settings.checks->file, context))
        context.protect.push_back(*std::move(name));
    return context;
}

Result<tool::StartedCall> Bash::Inside::start(const Request& request, const ToolContext& context) {
    if (context.cancel.stop_requested()) return failure("start", ECANCELED, "");
    const auto asked_at = os::Clock::now();
    CHECK(tool::make_shared_cache(context));
    tool::CallPlan plan =
        TRY(tool::plan_call(request, with_protected_rules(context), settings, umask));
    plan.asked_at = asked_at;
    return start(std::move(plan), context);
}

Result<tool::StartedCall> Bash::Inside::start(tool::CallPlan plan, const ToolContext& context) {
    constexpr int tries = 5;
    const uint64_t streams = plan.launch.streams == Streams::Split ? 2 : 1;
    const uint64_t wanted = plan.launch.keep_output_bytes;
    for (int attempt = 1;; ++attempt) {
        const auto [session, is_new] = TRY(session_for(context.session, plan.wanted));
        plan.session_built_in = is_new ? session->built_in() : std::nullopt;
        const run::SessionDir& dir = session->dir();
        plan.note.session = dir.name.empty() ? dir.id : dir.name;
        plan.note.confinement = session->confinement();
        plan.call_json = to_json(plan.note);
        plan.grant = ledger->reserve(wanted * streams);
        const collect::Grant grant = plan.grant;
        const uint64_t granted = grant.bytes / streams;
        plan.launch.keep_output_bytes = granted;
        plan.notes.clear();
        if (granted < wanted) {
            plan.notes.push_back("the state directory's quota is nearly spent: only " +
                                 std::to_string(granted) + " bytes of output are kept");
        }
        auto started = tool::StartedCall::start(plan, session, context);
        if (started) return started;
        ledger->settle(grant, 0);
        // A session that is just ending takes no plans, and one that has ended may have lost its
        // directory. Nothing was started, so the next session may have the call.
        const bool session_ended = started.error().code == EPIPE || session->is_ending();
        if (!session_ended || attempt == tries) return started;
        forget_session(session);
    }
}

Report Bash::Inside::finish(const tool::StartedCall& call) {
    Report report = call.report();
    if (!report.reverted.empty()) ledger->sweep_soon();
    if (report.ended() && report.leftovers.empty()) {
        const uint64_t errors = report.error_excerpt ? report.error_excerpt->total_bytes : 0;
        constexpr uint64_t overhead = 8192;  // the record, and blocks that are not full
        ledger->settle(call.grant(), report.excerpt.total_bytes + errors + overhead);
    }
    return report;
}

Result<tool::Gate*> Bash::Inside::checks() {
    if (!settings.checks) return nullptr;
    const std::lock_guard lock(guard);
    if (!gate) gate = TRY(tool::Gate::make(*settings.checks));
    return gate.get();
}

Result<void> Bash::Inside::make_waiter() {
    const std::lock_guard lock(guard);
    if (!waiter) waiter = TRY(tool::Waiter::make());
    return {};
}

Bash::Bash(Settings settings) : inside_(std::make_unique<Inside>(std::move(settings))) {}
Bash::~Bash() = default;
Bash::Bash(Bash&&) noexcept = default;
Bash& Bash::operator=(Bash&&) noexcept = default;

Report Bash::run(const Request& request, const ToolContext& context) {
    const auto gate = inside_->checks();
    if (!gate) return not_started(request, context, gate.error());
    std::optional<tool::Gate::Decided> decided;
    if (*gate != nullptr) decided = (*gate)->pass(request, context);
    if (decided && decided->refused) return refused(request, context, *decided);
    auto call = inside_->start(request, context);
    if (!call) return not_started(request, context, call.error());
    tool::wait_for(*call, context.cancel);
    while (call->must_be_repeated()) {
        // Nursery or keeper was killed before there was a command: nothing ran, so this is not a
        // second time.
        call = inside_->start(std::move(call->plan()), context);
        if (!call) return not_started(request, context, call.error());
        tool::wait_for(*call, context.cancel);
    }
    Report report = inside_->finish(*call);
    if (decided) decided->tell(report);
    return report;
}

void Bash::run(Request request, ToolContext context, std::function<void(Report)> done) {
    Inside* inside = inside_.get();
    if (const auto able = inside->make_waiter(); !able)
        return done(not_started(request, context, able.error()));
    const auto gate = inside->checks();
    if (!gate) return inside->tell(std::move(done), not_started(request, context, gate.error()));
    if (*gate == nullptr) return inside->begin(request, std::move(context), std::move(done));
    const auto asked = std::make_shared<const std::pair<Request, ToolContext>>(request, context);
    (*gate)->pass(request, context,
                  [inside, asked, done = std::move(done)](const tool::Gate::Decided& decided) {
                      const auto& [wanted, where] = *asked;
                      if (decided.refused)
                          return inside->tell(done, refused(wanted, where, decided));
                      inside->begin(wanted, where, [done, decided](Report report) {
                          decided.tell(report);
                          done(std::move(report));
                      });
                  });
}

void Bash::Inside::tell(std::function<void(Report)> done, Report report) const {
    waiter->post([done = std::move(done), report = std::move(report)] { done(report); });
}

void Bash::Inside::begin(const Request& request, ToolContext context,
                         std::function<void(Report)> done) {
    auto call = start(request, context);
    if (!call) return tell(std::move(done), not_started(request, context, call.error()));
    std::stop_token cancel = context.cancel;
    waiter->add(
        std::move(*call), std::move(cancel),
        [this, context = std::move(context)](tool::CallPlan plan) {
            return start(std::move(plan), context);
        },
        [this, done = std::move(done)](const tool::StartedCall& ended) { done(finish(ended)); });
}

}  // namespace husk
