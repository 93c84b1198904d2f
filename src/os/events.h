// The one place that blocks, and what can wake it.
#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "os/fd.h"

namespace husk::os {

using Clock = std::chrono::steady_clock;
using Deadline = std::optional<Clock::time_point>;  // none: for ever

// Waits until one of them is ready or the deadline has passed; returns how many are ready.
Result<int> wait_for(std::span<pollfd> fds, const Deadline& deadline);

// Wakes a wait from another thread, and stays awake.
class Bell {
public:
    static Result<Bell> make();
    void ring() const;
    void quiet() const;
    int fd() const { return fd_.get(); }

private:
    explicit Bell(Fd fd) : fd_(std::move(fd)) {}
    Fd fd_;
};

// Tells when a file has been written to. Where the kernel has no watch left for this user,
// fd() is -1 and `interval` says how often to look instead.
class FileWatch {
public:
    explicit FileWatch(const std::vector<int>& files);
    int fd() const { return fd_.get(); }
    std::optional<std::chrono::milliseconds> interval() const;
    // Forgets what has happened so far.
    void clear() const;

private:
    Fd fd_;
};

}  // namespace husk::os
