// The shells that live, whoever has started them: what changes is told as events.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "os/events.h"
#include "run/state_dir.h"
#include "serve/http_events.h"
#include "serve/http_loop.h"
#include "serve/http_shell_json.h"
#include "serve/spool_watch.h"

namespace husk::serve::http {

class LiveShells {
public:
    // `on_end` is told of each that nobody waits for, when it has ended.
    using OnEnd = std::function<void(const tool::KnownShell& shell)>;
    LiveShells(Loop& loop, const run::StateDir& state, Events& events, OnEnd on_end);
    ~LiveShells();
    LiveShells(const LiveShells&) = delete;
    LiveShells& operator=(const LiveShells&) = delete;

    // `changed` is called when that shell has written something, or has ended, until what is
    // returned is dropped.
    std::shared_ptr<void> listen(const std::string& id, std::function<void()> changed);

    // Tells now what is known of this shell, and of what was heard before it.
    void catch_up(const std::string& id);

    // Somebody wants to know: from now on it is measured, for a while.
    std::optional<Sample> sample(const std::string& id);
    std::map<std::string, Sample> samples();
    size_t count() const { return live_.size(); }

private:
    struct Live;
    struct Ear;
    void made(const std::string& id);
    void changed(const std::string& id);
    void removed(const std::string& id);
    void grew(const std::string& id);
    void begin(const std::string& id);
    void look(Live& live);
    void forget(const std::string& id);
    void tell_output(Live& live);
    void tell_late_output();
    void notify(const std::string& id);
    void tick();
    void measure(Live& live);

    const run::StateDir& state_;
    Events& events_;
    OnEnd on_end_;
    std::set<std::string> fresh_;  // records that are made, and empty
    std::map<std::string, std::unique_ptr<Live>> live_;
    std::set<std::string> late_;  // have written since they were told of
    std::multimap<std::string, std::weak_ptr<Ear>> ears_;
    Timer late_timer_;
    Timer tick_timer_;
    os::Clock::time_point wanted_until_;
    uint64_t began_;  // realtime, nanoseconds
    // The last that are over, because they may be met again.
    std::set<std::string> gone_;
    std::deque<std::string> gone_in_order_;
    std::unique_ptr<SpoolWatch> watch_;
    std::unique_ptr<Readable> changes_;
};

}  // namespace husk::serve::http
