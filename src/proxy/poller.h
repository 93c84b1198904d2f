// What one thread waits for.
#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <cstdint>
#include <utility>

#include "os/fd.h"

namespace husk::proxy {

using Clock = std::chrono::steady_clock;

// A descriptor, and the number by which its events are told apart.
struct Watched {
    os::Fd fd;
    uint64_t tag = 0;
    uint32_t interest = 0;

    void hold(os::Fd other) {
        fd = std::move(other);
        interest = 0;
    }
};

class Poller {
public:
    explicit Poller(os::Fd epoll) : epoll_(std::move(epoll)) {}
    int fd() const { return epoll_.get(); }

    // Level-triggered. With no events it is not watched at all: the kernel tells hang-ups also
    // to those who did not ask, again and again.
    bool want(Watched& watched, uint32_t events) const {
        if (!watched.fd || events == watched.interest) return true;
        epoll_event event{};
        event.events = events;
        event.data.u64 = watched.tag;
        int what = EPOLL_CTL_MOD;
        if (watched.interest == 0) what = EPOLL_CTL_ADD;
        if (events == 0) what = EPOLL_CTL_DEL;
        watched.interest = events;
        return ::epoll_ctl(epoll_.get(), what, watched.fd.get(), &event) == 0;
    }

private:
    os::Fd epoll_;
};

}  // namespace husk::proxy
