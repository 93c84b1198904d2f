#include "serve/progress.h"

#include <algorithm>

#include "os/thread.h"
#include "serve/tasks.h"

namespace husk::serve {
namespace {

constexpr std::chrono::seconds tick(1);
constexpr std::chrono::seconds longest_silence(5);

}  // namespace

void Progress::set_shell(const std::string& id) {
    const std::lock_guard lock(guard_);
    shell_ = id;
}

void Progress::belong_to_task() {
    const std::lock_guard lock(guard_);
    of_task_ = true;
}

void Progress::stop() {
    const std::lock_guard lock(guard_);
    stopped_ = true;
}

bool Progress::tell(const tool::Toolbox& toolbox) {
    const std::lock_guard lock(guard_);
    if (stopped_) return false;
    const auto now = Clock::now();
    tool::Glimpse seen{.bytes = told_bytes_, .last_line = {}};
    if (!shell_.empty())
        if (auto glimpse = toolbox.glimpse(shell_)) seen = std::move(*glimpse);
    if (seen.bytes == told_bytes_ && now - told_ < longest_silence) return true;
    Json params = Json::object();
    if (!seen.last_line.empty()) params["message"] = std::move(seen.last_line);
    if (of_task_) params["_meta"] = related_to(shell_);
    send(std::move(params));
    told_bytes_ = seen.bytes;
    return true;
}

void Progress::tell_record(const Json& record) {
    const std::lock_guard lock(guard_);
    if (stopped_) return;
    Json params = {{"_meta", {{"husk/record", record}}}};
    if (const Json& content = member(record, "content"); content.is_string())
        params["message"] = content;
    send(std::move(params));
}

void Progress::send(Json params) {
    told_ = Clock::now();
    const std::chrono::duration<double> passed = told_ - start_;
    constexpr double least = 0.001;
    told_seconds_ = std::max(passed.count(), told_seconds_ + least);
    params["progressToken"] = token_;
    params["progress"] = told_seconds_;
    send_(notification_message("notifications/progress", std::move(params)));
}

Ticker::~Ticker() {
    {
        const std::lock_guard lock(guard_);
        closing_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Ticker::add(std::shared_ptr<Progress> progress) {
    {
        const std::lock_guard lock(guard_);
        watched_.push_back(std::move(progress));
        // Without a thread this call has no progress to tell; the next one tries again.
        if (!thread_.joinable())
            if (auto started = os::start_thread<std::thread>([this] { loop(); }))
                thread_ = *std::move(started);
    }
    changed_.notify_all();
}

void Ticker::loop() {
    std::unique_lock lock(guard_);
    while (!closing_) {
        if (watched_.empty()) {
            changed_.wait(lock, [this] { return closing_ || !watched_.empty(); });
            continue;
        }
        if (changed_.wait_for(lock, tick, [this] { return closing_; })) return;
        auto all = watched_;
        lock.unlock();
        std::erase_if(all, [this](const auto& one) { return one->tell(toolbox_); });
        lock.lock();
        std::erase_if(watched_,
                      [&](const auto& one) { return std::ranges::find(all, one) != all.end(); });
    }
}

}  // namespace husk::serve
