// Waiting for calls: in the caller's thread for one, or in a thread of our own for many.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "os/events.h"
#include "tool/started_call.h"

namespace husk::tool {

// Returns when there is nothing more to wait for, or the call has moved to the background.
void wait_for(StartedCall& call, const std::stop_token& cancel);

class Waiter {
public:
    static Result<std::unique_ptr<Waiter>> make();
    ~Waiter();  // cancels what is still under way, and waits for it
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    using Repeat = std::function<Result<StartedCall>(CallPlan)>;
    using Done = std::function<void(const StartedCall&)>;
    // Does something on the waiter's thread.
    void post(std::function<void()> work);
    void add(StartedCall call, std::stop_token cancel, Repeat repeat, Done done);

private:
    Waiter() = default;
    struct Entry;
    void ring();
    void loop();
    void do_work();
    bool take_new(std::list<Entry>& entries);
    void wait_for_any(const std::list<Entry>& entries, std::vector<pollfd>& fds) const;
    static bool is_due(Entry& entry, std::span<const pollfd> polled, bool closing);
    // True when the entry is done with.
    static bool advance(Entry& entry);

    std::mutex guard_;
    std::optional<os::Bell> bell_;  // none while there are no free descriptors; made by the thread
    std::vector<Entry> fresh_;
    std::vector<std::function<void()>> work_;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace husk::tool
