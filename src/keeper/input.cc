#include "input.h"

#include <asm/errno.h>
#include <linux/fcntl.h>

#include "sys.h"

namespace {

constexpr long chunk = 64 * 1024;  // what a pipe takes at once
alignas(4096) char buffer[chunk];

}  // namespace

namespace input {

long Feed::open(int source) {
    int fds[2];
    const long made = sys::pipe2(fds, O_CLOEXEC);
    if (made < 0) return made;
    // Only our end: a command does not expect a standard input that does not wait.
    sys::fcntl(fds[1], F_SETFL, O_NONBLOCK);
    source_ = source;
    pipe_ = fds[1];
    at_ = held_ = 0;
    return fds[0];
}

void Feed::close() {
    sys::close_once(source_);
    sys::close_once(pipe_);
}

// The pipe is watched all the time: an error there means that nobody reads any more.
void Feed::add(pollfd* fds) const {
    const bool waits = at_ < held_;
    fds[0] = {waits ? -1 : source_, POLLIN, 0};
    fds[1] = {pipe_, static_cast<short>(waits ? POLLOUT : 0), 0};
}

void Feed::pump(const pollfd* fds) {
    if ((fds[1].revents & (POLLERR | POLLNVAL)) != 0) return close();
    if (fds[0].revents != 0) {
        const long got = sys::read(source_, buffer, chunk);
        if (got == -EINTR || got == -EAGAIN) return;
        // The end of the file, or an error, is the end of the command's standard input.
        if (got <= 0) return close();
        at_ = 0;
        held_ = got;
    }
    if (at_ < held_) pass_on();
}

void Feed::pass_on() {
    const long written = sys::write(pipe_, buffer + at_, static_cast<unsigned long>(held_ - at_));
    if (written > 0) at_ += written;
    if (written < 0 && written != -EAGAIN && written != -EINTR) close();
}

}  // namespace input
