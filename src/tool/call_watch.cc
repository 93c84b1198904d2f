#include "tool/call_watch.h"

#include <cmath>
#include <utility>

#include "os/events.h"
#include "os/procfs.h"
#include "tool/read_shell.h"

namespace husk::tool {
namespace {

using contract::Event;
using contract::Sample;

constexpr std::chrono::seconds between_looks{1};
constexpr double percent = 100.0;

// Of all that lives below the keeper, and of what it has reaped.
struct Used {
    std::chrono::nanoseconds cpu{0};
    uint64_t memory = 0;
    std::vector<int> pids = {};
};

std::optional<Used> used_by(pid_t keeper) {
    const auto own = os::process_use(keeper);
    if (!own) return std::nullopt;
    Used used{.cpu = own->reaped_cpu};
    for (const os::ProcessInfo& process : os::descendants(keeper)) {
        const auto use = os::process_use(process.pid);
        if (!use) continue;
        used.cpu += use->cpu + use->reaped_cpu;
        used.memory += use->memory;
        if (const pid_t inside = os::number_inside(process.pid); inside != 0)
            used.pids.push_back(inside);
    }
    return used;
}

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

}  // namespace

CallWatch::CallWatch(Settings settings, const contract::Watch& wanted, OnEvent on_event)
    : settings_(std::move(settings)), wanted_(wanted), on_event_(std::move(on_event)) {}

void CallWatch::note(decltype(Event::what) what) {
    const std::lock_guard lock(guard_);
    events_.push_back({std::chrono::system_clock::now(), std::move(what)});
    if (on_event_) on_event_(events_.back());
}

void CallWatch::attach(ToolContext& context) {
    cancelled_.emplace(context.cancel, [this] { stop_.request_stop(); });
    context.cancel = stop_.get_token();
    context.on_start = [this, also = std::move(context.on_start)](const std::string& shell_id) {
        if (also) also(shell_id);
        // A call that has to be repeated starts twice.
        if (thread_.joinable()) return;
        note(contract::Began{shell_id});
        thread_ =
            std::jthread([this, shell_id](const std::stop_token& over) { look(over, shell_id); });
    };
    if (!wanted_.output) return;
    context.on_output = [this, also = std::move(context.on_output)](const OutputPiece& piece) {
        note(piece);
        if (also) also(piece);
    };
}

void CallWatch::look(const std::stop_token& over, const std::string& shell_id) {
    using Clock = std::chrono::steady_clock;
    // A short command is never looked at.
    if (is_over_within(over, between_looks / 10)) return;
    const auto [keeper, is_slowed_down] = kept(settings_, shell_id, over);
    auto before = used_by(keeper);
    auto then = Clock::now();
    // The kernel lets nobody have more, but for the errors of measuring.
    Sustained sustained(is_slowed_down ? std::nullopt : wanted_.most_cpu_percent);
    const double processors = std::max(1U, std::thread::hardware_concurrency());
    while (before && !is_over_within(over, between_looks)) {
        auto now = used_by(keeper);
        if (!now) return;
        const auto elapsed = Clock::now() - then;
        const auto spent = std::max(now->cpu - before->cpu, std::chrono::nanoseconds(0));
        const double share = percent * static_cast<double>(spent.count()) /
                             static_cast<double>(elapsed.count()) / processors;
        note(Sample{.cpu_percent = share, .memory_bytes = now->memory, .pids = now->pids});
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
