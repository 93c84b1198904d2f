#include "serve/outbox.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

namespace husk::serve {
namespace {

constexpr size_t behind = 64 * 1024;
constexpr size_t full = size_t{4} << 20;

}  // namespace

Result<std::unique_ptr<Outbox>> Outbox::make(int fd, std::function<void()> on_gone) {
    os::Bell bell = TRY(os::Bell::make());
    return std::unique_ptr<Outbox>(new Outbox(fd, std::move(bell), std::move(on_gone)));
}

Outbox::Outbox(int fd, os::Bell bell, std::function<void()> on_gone)
    : fd_(fd), bell_(std::move(bell)), on_gone_(std::move(on_gone)), thread_([this] { loop(); }) {}

Outbox::~Outbox() {
    {
        const std::lock_guard lock(guard_);
        over_ = true;
    }
    changed_.notify_all();
    bell_.ring();
    thread_.join();
}

void Outbox::put(std::string line, Kind kind) {
    {
        const std::lock_guard lock(guard_);
        if (over_ || (kind == Kind::MayBeDropped && bytes_ > behind)) return;
        // Waking a thread takes longer than most answers.
        if (bytes_ == 0) line.erase(0, line.size() - write_now(line).size());
        if (line.empty()) return;
        bytes_ += line.size();
        lines_.push_back(std::move(line));
    }
    changed_.notify_all();
}

void Outbox::wait_for_room(const std::stop_token& stop) {
    std::unique_lock lock(guard_);
    changed_.wait(lock, stop, [this] { return over_ || bytes_ < full; });
}

void Outbox::drain(std::chrono::milliseconds patience) {
    std::unique_lock lock(guard_);
    changed_.wait_for(lock, patience, [this] { return over_ || bytes_ == 0; });
}

std::string_view Outbox::write_now(std::string_view line) const {
    if (line.size() > PIPE_BUF) return line;
    pollfd ready[] = {{fd_, POLLOUT, 0}};
    if (!os::wait_for(ready, os::Clock::now()) || ready[0].revents != POLLOUT) return line;
    const ssize_t wrote = ::write(fd_, line.data(), line.size());
    if (wrote > 0) line.remove_prefix(static_cast<size_t>(wrote));
    return line;
}

// A pipe that is ready takes so much without keeping us, whatever its reader does next.
bool Outbox::write_line(std::string_view line) {
    while (!line.empty()) {
        pollfd fds[] = {{fd_, POLLOUT, 0}, {bell_.fd(), POLLIN, 0}};
        if (!os::wait_for(fds, std::nullopt) || fds[1].revents != 0) return false;
        const ssize_t wrote = ::write(fd_, line.data(), std::min<size_t>(line.size(), PIPE_BUF));
        if (wrote < 0 && errno != EINTR && errno != EAGAIN) return false;
        if (wrote > 0) line.remove_prefix(static_cast<size_t>(wrote));
    }
    return true;
}

void Outbox::loop() {
    std::unique_lock lock(guard_);
    for (;;) {
        changed_.wait(lock, [this] { return over_ || !lines_.empty(); });
        if (over_) return;
        const std::string line = std::move(lines_.front());
        lines_.pop_front();
        lock.unlock();
        const bool wrote = write_line(line);
        lock.lock();
        bytes_ -= line.size();
        if (!wrote) over_ = true;
        changed_.notify_all();
        if (wrote) continue;
        lock.unlock();
        return on_gone_();
    }
}

}  // namespace husk::serve
