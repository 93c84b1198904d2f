#include <husk/tools.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <future>
#include <list>
#include <mutex>
#include <stop_token>
#include <utility>

#include "render/report_json.h"
#include "tool/questions.h"
#include "tool/toolbox.h"
#include "tool/tools_deployment.h"

namespace husk {
namespace {

using Text = std::variant<std::string, Error>;

// Each toolset has threads of its own. An idle one may be destroyed: its state is on the disk.
constexpr size_t most_idle = 16;

// Paths of a context may be relative to it.
std::string own_directory() {
    std::error_code failed;
    return std::filesystem::current_path(failed).string();
}

// Without what belongs to a call alone.
ToolContext place_of(ToolContext context) {
    context.cancel = {};
    context.on_start = nullptr;
    context.on_output = nullptr;
    context.approver = nullptr;
    context.on_record = nullptr;
    return context;
}

Text text_of(const tool::Toolbox::Called& called) {
    if (!called) return Error{"tools", 0, called.error()};
    return render::dump(*called);
}

enum class Waiting { Caller, Nobody };

}  // namespace

struct Tools::Inside {
    explicit Inside(ToolSettings given) : settings(std::move(given)) {}
    ~Inside() { close(); }
    // Cancels all calls, and waits until they are answered. Later calls are answered with an error.
    void close();

    struct Call;
    struct Toolset;
    // Adds a user. A toolset with users is not destroyed.
    Result<Toolset*> enter(const ToolContext& context);
    // The same for a toolset that exists; null if there is none.
    Toolset* enter_existing(const ToolContext& context);
    // The iterator of the toolset of this place, or end(). Under `places`.
    std::list<std::unique_ptr<Toolset>>::iterator find(const ToolContext& context);
    std::list<std::unique_ptr<Toolset>> take_idle();
    void call(const std::string& name, const std::string& arguments, const ToolContext& context,
              Waiting waiting, Done done);
    bool add(const std::shared_ptr<Call>& call);
    tool::CallContext context_for(const std::shared_ptr<Call>& call, const ToolContext& context);
    void let_go(const std::shared_ptr<Call>& call);

    const ToolSettings settings;
    std::mutex places;                             // guards those below
    std::list<std::unique_ptr<Toolset>> toolsets;  // last used first
    std::mutex guard;                              // guards the calls
    std::condition_variable changed;
    std::list<std::shared_ptr<Call>> calls;
    bool closing = false;
    tool::Questions questions;
};

// The tools of one place.
struct Tools::Inside::Toolset {
    Toolset(ToolContext context, tool::Deployment deployment)
        : place(std::move(context)), box(std::move(deployment)) {}

    ToolContext place;
    std::string seen_from = own_directory();
    tool::Toolbox box;
    std::atomic<size_t> users = 0;
};

// A call that is under way. It has two holders: the thread that hands it over, and the answer.
struct Tools::Inside::Call {
    Toolset* toolset;
    Done done;
    std::stop_source stop = {};
    std::optional<std::stop_callback<std::function<void()>>> cancelled = {};
    std::atomic<int> holders = 2;
};

void Tools::Inside::close() {
    std::list<std::shared_ptr<Call>> left;
    {
        const std::lock_guard lock(guard);
        closing = true;
        left = calls;
    }
    // Open questions are answered by the cancellation.
    for (const auto& call : left) call->stop.request_stop();
    left.clear();
    std::unique_lock lock(guard);
    changed.wait(lock, [this] { return calls.empty(); });
}

std::list<std::unique_ptr<Tools::Inside::Toolset>>::iterator Tools::Inside::find(
    const ToolContext& context) {
    return std::ranges::find_if(toolsets, [&, here = own_directory()](const auto& one) {
        return one->seen_from == here && tool::same_place(one->place, context);
    });
}

Tools::Inside::Toolset* Tools::Inside::enter_existing(const ToolContext& context) {
    const std::lock_guard lock(places);
    const auto found = find(context);
    if (found == toolsets.end()) return nullptr;
    ++(*found)->users;
    return found->get();
}

Result<Tools::Inside::Toolset*> Tools::Inside::enter(const ToolContext& context) {
    // Destroyed after the lock is released, because their destructors wait for threads.
    std::list<std::unique_ptr<Toolset>> gone;
    const std::lock_guard lock(places);
    const auto found = find(context);
    if (found != toolsets.end()) {
        toolsets.splice(toolsets.begin(), toolsets, found);
    } else {
        tool::Deployed deployed = TRY(tool::deploy_for(settings, context));
        gone = take_idle();
        toolsets.push_front(
            std::make_unique<Toolset>(place_of(context), std::move(deployed.deployment)));
    }
    ++toolsets.front()->users;
    return toolsets.front().get();
}

// All idle toolsets except those that were used last. One whose answers have named files is never
// idle, because these files go with it.
std::list<std::unique_ptr<Tools::Inside::Toolset>> Tools::Inside::take_idle() {
    std::list<std::unique_ptr<Toolset>> idle;
    size_t kept = 0;
    for (auto one = toolsets.begin(); one != toolsets.end();) {
        const auto next = std::next(one);
        const bool is_idle = (*one)->users == 0 && !(*one)->box.has_spilled_files();
        if (is_idle && ++kept >= most_idle) idle.splice(idle.end(), toolsets, one);
        one = next;
    }
    return idle;
}

tool::CallContext Tools::Inside::context_for(const std::shared_ptr<Call>& call,
                                             const ToolContext& context) {
    const std::stop_token cancel = call->stop.get_token();
    tool::CallContext given{.cancel = cancel, .on_shell = context.on_start};
    given.on_output = context.on_output;
    if (context.on_record)
        given.on_record = [tell = context.on_record](const contract::Json& record) {
            tell(render::dump(record));
        };
    if (context.approver)
        given.approver = [this, approver = context.approver, cancel](
                             const Question& question, std::function<void(Answer)> answer) {
            questions.ask(approver, question, cancel,
                          [answer = std::move(answer)](const std::optional<Answer>& said) {
                              answer(said.value_or(Answer{}));
                          });
        };
    return given;
}

void Tools::Inside::call(const std::string& name, const std::string& arguments,
                         const ToolContext& context, Waiting waiting, Done done) {
    const auto toolset = enter(context);
    if (!toolset) return done(toolset.error());
    const auto call = std::make_shared<Call>(*toolset, std::move(done));
    if (!add(call)) {
        --call->toolset->users;
        return call->done(Error{"tools", ECANCELED, "cancelled, because the tools are closing"});
    }
    call->cancelled.emplace(context.cancel, [stop = call->stop]() mutable { stop.request_stop(); });
    tool::CallContext given = context_for(call, context);
    given.start_here = waiting == Waiting::Caller;
    call->toolset->box.call(name, arguments, std::move(given),
                            [this, call](const tool::Toolbox::Called& called) {
                                std::exchange(call->done, nullptr)(text_of(called));
                                let_go(call);
                            });
    let_go(call);
}

// False once the tools are closing: only calls that were cancelled then are waited for.
bool Tools::Inside::add(const std::shared_ptr<Call>& call) {
    const std::lock_guard lock(guard);
    if (!closing) calls.push_back(call);
    return !closing;
}

void Tools::Inside::let_go(const std::shared_ptr<Call>& call) {
    if (--call->holders > 0) return;
    call->cancelled.reset();
    --call->toolset->users;
    const std::lock_guard lock(guard);
    calls.remove(call);
    changed.notify_all();
}

Tools::Tools(ToolSettings settings) : inside_(std::make_unique<Inside>(std::move(settings))) {}
// A callback of a cancelled call may still use this object.
Tools::~Tools() {
    if (inside_) inside_->close();
}
Tools::Tools(Tools&&) noexcept = default;
Tools& Tools::operator=(Tools&&) noexcept = default;

Text Tools::list(const ToolContext& context) const {
    const auto toolset = inside_->enter(context);
    if (!toolset) return toolset.error();
    (*toolset)->box.look_at_configuration();
    std::string tools = render::dump((*toolset)->box.tools());
    --(*toolset)->users;
    return tools;
}

std::variant<std::vector<std::string>, Error> Tools::check(const ToolContext& context) const {
    auto deployed = tool::deploy_for(inside_->settings, context);
    std::shared_ptr<const tool::Deployment> in_force;
    // Calls that were made before keep a configuration in force, also if its file is broken now.
    if (Inside::Toolset* toolset = inside_->enter_existing(context)) {
        toolset->box.look_at_configuration();
        in_force = toolset->box.deployment();
        --toolset->users;
    }
    if (!deployed && !in_force) return deployed.error();
    const tool::Deployment& deployment = in_force ? *in_force : deployed->deployment;
    if (const auto able = tool::check_deployment(deployment); !able) return able.error();
    std::vector<std::string> warnings;
    if (deployed)
        warnings = std::move(deployed->warnings);
    else
        warnings.push_back("the configuration from before stays in force: " +
                           deployed.error().text());
    const std::string missing = tool::missing_walls(deployment);
    if (!missing.empty()) warnings.push_back(missing);
    return warnings;
}

Text Tools::call(const std::string& name, const std::string& arguments,
                 const ToolContext& context) {
    // Shared: the answering thread may still be in set_value() when this one returns.
    const auto promise = std::make_shared<std::promise<Text>>();
    inside_->call(name, arguments, context, Waiting::Caller,
                  [promise](Text result) { promise->set_value(std::move(result)); });
    return promise->get_future().get();
}

void Tools::call(const std::string& name, const std::string& arguments, ToolContext context,
                 Done done) {
    inside_->call(name, arguments, context, Waiting::Nobody, std::move(done));
}

}  // namespace husk
