#include "tool/workers.h"

#include <utility>

#include "os/thread.h"

namespace husk::tool {

Workers::~Workers() {
    {
        const std::lock_guard lock(guard_);
        closing_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Workers::post(std::function<void()> work) {
    std::function<void()> own;
    {
        const std::lock_guard lock(guard_);
        waiting_.push_back(std::move(work));
        if (idle_ < waiting_.size() && threads_.size() < most_) start_thread();
        if (threads_.empty()) {
            own = std::move(waiting_.back());
            waiting_.pop_back();
        } else {
            // Under the lock: without it, a worker could do the work, and whoever waits for that
            // could destroy this object, before it is notified.
            changed_.notify_one();
        }
    }
    if (own) own();
}

// On a machine that is out of processes, the threads that there are do the work.
void Workers::start_thread() {
    if (auto started = os::start_thread<std::thread>([this] { loop(); }))
        threads_.push_back(*std::move(started));
}

void Workers::loop() {
    std::unique_lock lock(guard_);
    for (;;) {
        ++idle_;
        changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
        --idle_;
        if (waiting_.empty()) return;
        std::function<void()> work = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        work();
        work = nullptr;  // what it holds may want the lock
        lock.lock();
    }
}

bool Turnstile::enter(std::function<void()> work) {
    const std::lock_guard lock(guard_);
    if (free_ == 0) {
        waiting_.push_back(std::move(work));
        return false;
    }
    --free_;
    return true;
}

void Turnstile::leave() {
    std::function<void()> next;
    {
        const std::lock_guard lock(guard_);
        if (waiting_.empty()) {
            ++free_;
            return;
        }
        next = std::move(waiting_.front());
        waiting_.pop_front();
    }
    next();
}

}  // namespace husk::tool
