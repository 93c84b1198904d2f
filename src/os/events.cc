#include "os/events.h"

#include <sys/eventfd.h>
#include <sys/inotify.h>

#include <cerrno>
#include <string>

namespace husk::os {
namespace {

// The kernel polls no more descriptors at once than the process may open at this moment, also where
// it has more of them open. One at a time always works, unless it may open none at all.
Result<int> wait_for_each(std::span<pollfd> fds, const Deadline& deadline) {
    constexpr timespec at_once{};
    constexpr timespec pause{0, 5'000'000};
    for (;;) {
        int ready = 0;
        for (pollfd& one : fds) {
            const int polled = ::ppoll(&one, 1, &at_once, nullptr);
            if (polled < 0 && errno != EINTR) return failure("ppoll", errno, "");
            ready += polled > 0 ? 1 : 0;
        }
        if (ready > 0 || (deadline && Clock::now() >= *deadline)) return ready;
        ::ppoll(nullptr, 0, &pause, nullptr);
    }
}

}  // namespace

Result<int> wait_for(std::span<pollfd> fds, const Deadline& deadline) {
    for (;;) {
        timespec left{};
        if (deadline) {
            const auto rest = std::max(*deadline - Clock::now(), Clock::duration::zero());
            const auto nanoseconds = std::chrono::nanoseconds(rest).count();
            left = {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
        }
        const int ready = ::ppoll(fds.data(), fds.size(), deadline ? &left : nullptr, nullptr);
        if (ready >= 0) return ready;
        if (errno == EINVAL && !fds.empty()) return wait_for_each(fds, deadline);
        if (errno != EINTR) return failure("ppoll", errno, "");
    }
}

Result<Bell> Bell::make() {
    Fd fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!fd) return failure("eventfd", errno, "");
    return Bell(std::move(fd));
}

void Bell::ring() const {
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(fd_.get(), &one, sizeof one);
}

void Bell::quiet() const {
    uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(fd_.get(), &count, sizeof count);
}

FileWatch::FileWatch(const std::vector<int>& files)
    : fd_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    for (const int file : files) {
        const std::string path = "/proc/self/fd/" + std::to_string(file);
        const bool watched =
            fd_ && ::inotify_add_watch(fd_.get(), path.c_str(), IN_MODIFY | IN_CLOSE_WRITE) >= 0;
        if (!watched) fd_.reset();
    }
}

std::optional<std::chrono::milliseconds> FileWatch::interval() const {
    if (fd_) return std::nullopt;
    return std::chrono::milliseconds(50);
}

void FileWatch::clear() const {
    alignas(inotify_event) char buffer[4096];
    while (fd_ && ::read(fd_.get(), buffer, sizeof buffer) > 0) {
    }
}

}  // namespace husk::os
