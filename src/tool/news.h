// Tells an event to all subscribers.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace husk::tool {

template <class What>
class News {
    struct Listener {
        // Held during `tell`, so that nothing is told after the subscription has ended. Recursive,
        // because `tell` may end its own subscription.
        std::recursive_mutex guard;
        bool is_over = false;
        std::function<void(const What&)> tell;
    };

public:
    // Events are told as long as this lives, and never after the destructor has returned.
    class Subscription {
    public:
        Subscription() = default;
        explicit Subscription(std::shared_ptr<Listener> listener)
            : listener_(std::move(listener)) {}
        Subscription(Subscription&&) noexcept = default;
        Subscription& operator=(Subscription&& other) noexcept {
            std::swap(listener_, other.listener_);
            return *this;
        }
        ~Subscription() {
            if (!listener_) return;
            const std::lock_guard lock(listener_->guard);
            listener_->is_over = true;
        }

    private:
        std::shared_ptr<Listener> listener_;
    };

    [[nodiscard]] Subscription subscribe(std::function<void(const What&)> tell) {
        auto listener = std::make_shared<Listener>();
        listener->tell = std::move(tell);
        const std::lock_guard lock(guard_);
        std::erase_if(listeners_, [](const auto& one) { return one.expired(); });
        listeners_.push_back(listener);
        return Subscription(std::move(listener));
    }

    void tell(const What& what) {
        std::vector<std::weak_ptr<Listener>> all;
        {
            const std::lock_guard lock(guard_);
            all = listeners_;
        }
        for (const auto& one : all)
            if (const auto listener = one.lock()) {
                const std::lock_guard lock(listener->guard);
                if (!listener->is_over) listener->tell(what);
            }
    }

private:
    std::mutex guard_;
    std::vector<std::weak_ptr<Listener>> listeners_;
};

}  // namespace husk::tool
