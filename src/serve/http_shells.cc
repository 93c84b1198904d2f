#include "serve/http_shells.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "collect/stream.h"
#include "os/procfs.h"

namespace husk::serve::http {
namespace {

using collect::Which;
using os::Clock;

constexpr std::chrono::milliseconds output_interval(20);
constexpr std::chrono::milliseconds tick_interval(1000);
constexpr std::chrono::milliseconds blind_interval(100);
constexpr std::chrono::seconds wanted_for(10);

}  // namespace

struct LiveShells::Live {
    tool::KnownShell shell;
    uint64_t told_out = 0;
    uint64_t told_err = 0;
    Clock::time_point told = {};
    bool ended_told = false;
    std::optional<Sample> sample = {};
    std::chrono::nanoseconds cpu{0};
    Clock::time_point measured = {};
};

struct LiveShells::Ear {
    std::function<void()> changed;
};

LiveShells::LiveShells(Loop& loop, const run::StateDir& state, Events& events, OnEnd on_end)
    : state_(state),
      events_(events),
      on_end_(std::move(on_end)),
      late_timer_(loop),
      tick_timer_(loop),
      began_(static_cast<uint64_t>(now_ms()) * 1'000'000) {
    SpoolWatch::Heard heard{.record_made = [this](const std::string& id) { made(id); },
                            .record_changed = [this](const std::string& id) { changed(id); },
                            .record_removed = [this](const std::string& id) { removed(id); },
                            .log_grew = [this](const std::string& id) { grew(id); }};
    watch_ = std::make_unique<SpoolWatch>(state, std::move(heard));
    if (watch_->fd() >= 0)
        changes_ = std::make_unique<Readable>(loop, watch_->fd(), [this] { watch_->read(); });
    tick();
}

LiveShells::~LiveShells() = default;

void LiveShells::catch_up(const std::string& id) {
    if (watch_->fd() >= 0) watch_->read();
    changed(id);
}

void LiveShells::made(const std::string& id) {
    if (live_.contains(id)) return changed(id);
    fresh_.insert(id);
    begin(id);
}

void LiveShells::changed(const std::string& id) {
    if (const auto found = live_.find(id); found != live_.end()) return look(*found->second);
    if (fresh_.contains(id)) begin(id);
}

void LiveShells::removed(const std::string& id) {
    fresh_.erase(id);
    if (const auto found = live_.find(id); found != live_.end()) look(*found->second);
}

// A record that has something in it: a shell that is new to us, or long over.
void LiveShells::begin(const std::string& id) {
    auto files = collect::open_shell(state_, id);
    if (!files) return;  // its log is made behind its record
    auto now = collect::look(*files, Clock::now());
    if (!now) return;  // made ahead of its call
    fresh_.erase(id);
    // What was over before we came is history; what we have told of is told.
    if (!now->tree_lives && (now->record.created < began_ || gone_.contains(id))) return;
    auto live = std::make_unique<Live>(Live{.shell = {std::move(*files), *std::move(now), {}}});
    live->shell.note = call_from_json(live->shell.now.call);
    Live& here = *live_.emplace(id, std::move(live)).first->second;
    events_.tell("shell.started", id, brief(shell_json(here.shell, std::nullopt)));
    tell_output(here);
    look(here);
}

void LiveShells::look(Live& live) {
    auto now = collect::look(live.shell.files, Clock::now());
    const std::string id = live.shell.files.id;
    if (!now) {
        forget(id);
        return notify(id);
    }
    live.shell.now = *std::move(now);
    const bool ended = !std::holds_alternative<Running>(live.shell.now.ending);
    if (!ended) return;
    tell_output(live);
    if (!std::exchange(live.ended_told, true)) {
        events_.tell("shell.ended", id, brief(shell_json(live.shell, std::nullopt)));
        const bool has_a_caller = (live.shell.now.record.flags & record::InBackground) == 0;
        if (!has_a_caller && on_end_) on_end_(live.shell);
    }
    if (!live.shell.now.tree_lives) {
        events_.tell("shell.gone", id, brief(shell_json(live.shell, std::nullopt)));
        forget(id);
    }
    notify(id);
}

void LiveShells::forget(const std::string& id) {
    late_.erase(id);
    live_.erase(id);
    constexpr size_t most = 4096;
    if (!gone_.insert(id).second) return;
    gone_in_order_.push_back(id);
    if (gone_in_order_.size() <= most) return;
    gone_.erase(gone_in_order_.front());
    gone_in_order_.pop_front();
}

// The first at once, then now and then: a flood shall not be one of events too.
void LiveShells::grew(const std::string& id) {
    const auto found = live_.find(id);
    if (found == live_.end()) return;
    if (Clock::now() - found->second->told >= output_interval) {
        tell_output(*found->second);
        return notify(id);
    }
    if (late_.empty()) late_timer_.set(output_interval, [this] { tell_late_output(); });
    late_.insert(id);
}

void LiveShells::tell_late_output() {
    for (const std::string& id : std::exchange(late_, {})) {
        const auto found = live_.find(id);
        if (found != live_.end()) tell_output(*found->second);
        notify(id);
    }
}

void LiveShells::tell_output(Live& live) {
    const auto tell = [&](Which which, uint64_t& told, const char* name) {
        const auto state = collect::stream_state(live.shell.files, which);
        if (!state || state->kept.total <= told) return;
        const uint64_t fresh = state->kept.total - std::exchange(told, state->kept.total);
        live.told = Clock::now();
        events_.tell("shell.output", live.shell.files.id,
                     {{"shell_id", live.shell.files.id},
                      {"stream", name},
                      {"bytes", fresh},
                      {"total", told}});
    };
    tell(Which::Output, live.told_out, "stdout");
    if (live.shell.files.error_log) tell(Which::Errors, live.told_err, "stderr");
}

std::shared_ptr<void> LiveShells::listen(const std::string& id, std::function<void()> changed) {
    auto ear = std::make_shared<Ear>(Ear{std::move(changed)});
    std::erase_if(ears_, [](const auto& one) { return one.second.expired(); });
    ears_.emplace(id, ear);
    return ear;
}

void LiveShells::notify(const std::string& id) {
    std::vector<std::shared_ptr<Ear>> heard;
    const auto [begin, end] = ears_.equal_range(id);
    for (auto one = begin; one != end;) {
        if (auto ear = one->second.lock()) {
            heard.push_back(std::move(ear));
            ++one;
        } else {
            one = ears_.erase(one);
        }
    }
    for (const auto& ear : heard) ear->changed();
}

std::optional<Sample> LiveShells::sample(const std::string& id) {
    wanted_until_ = Clock::now() + wanted_for;
    const auto found = live_.find(id);
    if (found == live_.end()) return std::nullopt;
    if (!found->second->sample) measure(*found->second);
    return found->second->sample;
}

std::map<std::string, Sample> LiveShells::samples() {
    std::map<std::string, Sample> all;
    wanted_until_ = Clock::now() + wanted_for;
    for (const auto& [id, live] : live_) {
        if (!live->sample) measure(*live);
        if (live->sample) all.emplace(id, *live->sample);
    }
    return all;
}

// What nobody tells us of: keepers and nurseries that were killed together, and how much is used.
void LiveShells::tick() {
    const bool blind = watch_->is_blind();
    if (blind) watch_->scan();
    std::vector<std::string> ids;
    for (const auto& [id, live] : live_) ids.push_back(id);
    const bool wanted = events_.listeners() > 0 || Clock::now() < wanted_until_;
    for (const std::string& id : ids) {
        const auto found = live_.find(id);
        if (found == live_.end()) continue;
        if (blind) {
            tell_output(*found->second);
            notify(id);
        }
        if (wanted) measure(*found->second);
        if (events_.listeners() > 0 && found->second->sample) {
            Json data = sample_json(*found->second->sample);
            data["shell_id"] = id;
            events_.tell("shell.usage", id, std::move(data));
        }
        look(*found->second);
    }
    tick_timer_.set(blind ? blind_interval : tick_interval, [this] { tick(); });
}

void LiveShells::measure(Live& live) {
    const auto now = Clock::now();
    constexpr std::chrono::milliseconds often_enough(900);
    if (live.sample && now - live.measured < often_enough) return;
    Sample sample{.time = now_ms()};
    std::chrono::nanoseconds cpu{0};
    if (live.shell.now.keeper == 0) return;
    for (const os::ProcessInfo& process : os::descendants(live.shell.now.keeper)) {
        const auto use = os::process_use(process.pid);
        if (!use) continue;
        cpu += use->user + use->system + use->reaped_user + use->reaped_system;
        sample.memory_bytes += use->memory;
        ++sample.processes;
    }
    using Seconds = std::chrono::duration<double>;
    if (live.sample && cpu > live.cpu)
        sample.cpu = Seconds(cpu - live.cpu) / Seconds(now - live.measured);
    live.cpu = cpu;
    live.measured = now;
    live.sample = sample;
}

}  // namespace husk::serve::http
