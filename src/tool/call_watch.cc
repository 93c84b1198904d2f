#include "tool/call_watch.h"

#include <cmath>
#include <utility>

#include "os/events.h"
#include "os/thread.h"
#include "tool/live_use.h"
#include "tool/read_shell.h"

namespace husk::tool {
namespace {

using contract::Event;
using contract::Sample;

constexpr std::chrono::seconds between_looks{1};
constexpr double percent = 100.0;

// Sleeps unless it is over already.
bool is_over_within(const std::stop_token& over, std::chrono::milliseconds time) {
    std::mutex guard;
    std::unique_lock lock(guard);
    std::condition_variable_any ended;
    ended.wait_for(lock, over, time, [] { return false; });
    return over.stop_requested();
}

struct Kept {
    pid_t keeper = 0;  // 0: it has none any more
    bool is_slowed_down = false;
};

// Its keeper may not have started it yet.
Kept kept(const Settings& settings, const std::string& shell_id, const std::stop_token& over) {
    constexpr std::chrono::milliseconds again{50};
    do {
        const auto shell = open_known(settings, shell_id);
        if (!shell) return {};
        const record::Record& page = shell->now.record;
        if (shell->now.keeper != 0 && page.main != 0)
            return {shell->now.keeper, (page.flags & record::CpuByCgroup) != 0};
    } while (!is_over_within(over, again));
    return {};
}

Sample sample_of(const LiveUse& use, std::optional<double> share) {
    return {.cpu_percent = share,
            .memory_bytes = use.memory,
            .pids = use.pids,
            .so_far = usage_so_far(use)};
}

}  // namespace

CallWatch::CallWatch(Settings settings, const contract::Watch& wanted, OnEvent on_event,
                     OnSample on_sample)
    : settings_(std::move(settings)),
      wanted_(wanted),
      on_event_(std::move(on_event)),
      on_sample_(std::move(on_sample)) {}

void CallWatch::note(decltype(Event::what) what) {
    const std::lock_guard lock(guard_);
    events_.push_back({std::chrono::system_clock::now(), std::move(what)});
    if (on_event_) on_event_(events_.back());
}

// What the tree has had at most is the most of all looks.
void CallWatch::tell(Sample sample) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    if (!on_sample_) return;
    sample.wall_ms = Milliseconds(std::chrono::steady_clock::now() - began_).count();
    auto& most = sample.so_far.peak_memory_bytes;
    most_memory_ = std::max(most_memory_, most.value_or(0));
    if (most_memory_ > 0) most = most_memory_;
    on_sample_(sample);
}

Result<void> CallWatch::attach(ToolContext& context) {
    thread_ = TRY(os::start_thread<std::jthread>([this](const std::stop_token& over) {
        const std::string shell_id = started_shell(over);
        if (!shell_id.empty()) look(over, shell_id);
    }));
    cancelled_.emplace(context.cancel, [this] { stop_.request_stop(); });
    context.cancel = stop_.get_token();
    context.on_start = [this, also = std::move(context.on_start)](const std::string& shell_id) {
        if (also) also(shell_id);
        // A call that has to be repeated starts twice.
        if (!shell_id_.empty()) return;
        began_ = std::chrono::steady_clock::now();
        note(contract::Began{shell_id});
        {
            const std::lock_guard lock(guard_);
            shell_id_ = shell_id;
        }
        has_started_.notify_all();
    };
    if (!wanted_.output) return {};
    context.on_output = [this, also = std::move(context.on_output)](const OutputPiece& piece) {
        note(piece);
        if (also) also(piece);
    };
    return {};
}

std::string CallWatch::started_shell(const std::stop_token& over) {
    std::unique_lock lock(guard_);
    has_started_.wait(lock, over, [this] { return !shell_id_.empty(); });
    return shell_id_;
}

void CallWatch::look(const std::stop_token& over, const std::string& shell_id) {
    using Clock = std::chrono::steady_clock;
    // A short command is never looked at.
    if (is_over_within(over, between_looks / 10)) return;
    const auto [keeper, is_slowed_down] = kept(settings_, shell_id, over);
    auto before = live_use(keeper);
    auto then = Clock::now();
    if (before) tell(sample_of(*before, std::nullopt));
    // The kernel lets nobody have more, but for the errors of measuring.
    Sustained sustained(is_slowed_down ? std::nullopt : wanted_.most_cpu_percent);
    const double processors = std::max(1U, std::thread::hardware_concurrency());
    while (before && !is_over_within(over, between_looks)) {
        auto now = live_use(keeper);
        if (!now) return;
        const auto elapsed = Clock::now() - then;
        const auto spent = std::max(now->cpu() - before->cpu(), std::chrono::nanoseconds(0));
        const double share = percent * static_cast<double>(spent.count()) /
                             static_cast<double>(elapsed.count()) / processors;
        const Sample sample = sample_of(*now, share);
        tell(sample);
        note(sample);
        if (sustained.add(share, elapsed)) {
            const std::lock_guard lock(guard_);
            breach_ = LimitExceeded{"cpu_usage", *wanted_.most_cpu_percent,
                                    static_cast<uint64_t>(std::floor(share)) + 1};
            break;
        }
        then = Clock::now();
        before = std::move(now);
    }
    if (breach_) stop_.request_stop();
}

std::vector<Event> CallWatch::finish(Ending& ending) {
    cancelled_.reset();
    if (thread_.joinable()) {
        thread_.request_stop();
        thread_.join();
    }
    if (breach_ && std::holds_alternative<Cancelled>(ending)) ending = *breach_;
    if (!events_.empty()) note(contract::Over{ending});
    return std::move(events_);
}

}  // namespace husk::tool
