// Looks at a command each second while it runs: what happens becomes events, and whoever takes too
// much of the processors for too long is stopped.
#pragma once

#include <husk/husk.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/result.h"
#include "contract/contract.h"

namespace husk::tool {

// Whether a share of the processors is too large for too long. A compiler at full speed is no
// attack: only seconds on end count.
class Sustained {
public:
    static constexpr std::chrono::seconds longest{10};

    explicit Sustained(std::optional<uint64_t> most_percent) : most_(most_percent) {}

    // The share over the time since the last one. True when that is the end.
    bool add(double percent, std::chrono::nanoseconds elapsed) {
        const bool over = most_ && percent > static_cast<double>(*most_);
        since_ = over ? since_ + elapsed : std::chrono::nanoseconds(0);
        return over && since_ >= longest;
    }

private:
    std::optional<uint64_t> most_;
    std::chrono::nanoseconds since_{0};
};

class CallWatch {
public:
    using OnEvent = std::function<void(const contract::Event&)>;
    using OnSample = std::function<void(const contract::Sample&)>;

    // `on_event` is called from several threads, one at a time. `on_sample` also gets the first
    // sample, which is no event because its share of the processors is not known yet.
    CallWatch(Settings settings, const contract::Watch& wanted, OnEvent on_event,
              OnSample on_sample = {});

    // From here on the call is seen, and can be stopped. Its on_start and on_output are called as
    // before. If this fails, nobody would stop it, so it must not be started.
    Result<void> attach(ToolContext& context);
    // The call has ended: its events are complete, and its ending says whether it was stopped here.
    std::vector<contract::Event> finish(Ending& ending);
    // After finish(): the most memory that a sample has told.
    uint64_t most_memory() const { return most_memory_; }

private:
    void note(decltype(contract::Event::what) what);
    // For the thread: the shell, once it has started; empty if it never does.
    std::string started_shell(const std::stop_token& over);
    void look(const std::stop_token& over, const std::string& shell_id);
    void tell(contract::Sample sample);

    Settings settings_;
    contract::Watch wanted_;
    OnEvent on_event_;
    OnSample on_sample_;
    std::stop_source stop_;
    std::optional<std::stop_callback<std::function<void()>>> cancelled_;
    std::mutex guard_;
    std::condition_variable_any has_started_;
    std::string shell_id_;
    std::vector<contract::Event> events_;
    std::optional<LimitExceeded> breach_;
    std::chrono::steady_clock::time_point began_;
    uint64_t most_memory_ = 0;  // for the thread alone while it runs; it is the last member
    std::jthread thread_;
};

}  // namespace husk::tool
