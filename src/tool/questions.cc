#include "tool/questions.h"

#include <atomic>
#include <utility>

namespace husk::tool {

// Whoever claims a question first settles it.
struct Questions::Pending {
    Settled then;
    std::atomic_flag claimed = {};
    std::unique_ptr<std::stop_callback<std::function<void()>>> on_cancel = {};

    bool claim() { return !claimed.test_and_set(); }
};

void Questions::ask(const Approver& approver, const Question& question,
                    const std::stop_token& cancel, Settled settled) {
    const auto pending = std::make_shared<Pending>(std::move(settled));
    {
        const std::lock_guard lock(guard_);
        pending_.push_back(pending);
    }
    pending->on_cancel = std::make_unique<std::stop_callback<std::function<void()>>>(
        cancel, [this, weak = std::weak_ptr(pending)] {
            const auto asked = weak.lock();
            if (asked && asked->claim()) settle(asked, std::nullopt);
        });
    if (pending->claimed.test()) return;  // cancelled meanwhile: there is nothing left to ask
    // The approver may keep this function for longer than the question and this object exist.
    approver(question, [this, weak = std::weak_ptr(pending)](const Answer& answer) {
        const auto asked = weak.lock();
        if (asked && asked->claim()) settle(asked, answer);
    });
}

void Questions::close() {
    std::list<std::shared_ptr<Pending>> left;
    {
        const std::lock_guard lock(guard_);
        left = pending_;
    }
    for (const auto& one : left)
        if (one->claim()) settle(one, std::nullopt);
    std::unique_lock lock(guard_);
    settled_.wait(lock, [this] { return pending_.empty(); });
}

void Questions::settle(const std::shared_ptr<Pending>& pending, const std::optional<Answer>& said) {
    std::exchange(pending->then, nullptr)(said);
    const std::lock_guard lock(guard_);
    pending_.remove(pending);
    settled_.notify_all();
}

}  // namespace husk::tool
