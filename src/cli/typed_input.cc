#include "cli/typed_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace husk::cli {

Result<std::unique_ptr<TypedInput>> TypedInput::start() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return failure("pipe2", errno, "");
    os::Fd reading(ends[0]);
    os::Fd writing(ends[1]);
    os::Fd stop(::eventfd(0, EFD_CLOEXEC));
    if (!stop) return failure("eventfd", errno, "");
    ::fcntl(writing.get(), F_SETFL, O_NONBLOCK);
    return std::unique_ptr<TypedInput>(
        new TypedInput(std::move(reading), std::move(writing), std::move(stop)));
}

TypedInput::TypedInput(os::Fd reading, os::Fd writing, os::Fd stop)
    : reading_(std::move(reading)),
      writing_(std::move(writing)),
      stop_(std::move(stop)),
      thread_([this] { pass_on(); }) {}

TypedInput::~TypedInput() {
    const uint64_t now = 1;
    if (::write(stop_.get(), &now, sizeof now) == sizeof now) thread_.join();
}

bool TypedInput::wait_for(int fd, short events) const {
    while (true) {
        pollfd fds[] = {{stop_.get(), POLLIN, 0}, {fd, events, 0}};
        const int ready = ::poll(fds, 2, -1);
        if (ready < 0 && errno != EINTR) return false;
        if (ready <= 0) continue;
        return fds[0].revents == 0;
    }
}

void TypedInput::pass_on() {
    char typed[4096];
    while (wait_for(STDIN_FILENO, POLLIN)) {
        const ssize_t got = ::read(STDIN_FILENO, typed, sizeof typed);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        std::string_view left(typed, static_cast<size_t>(got));
        while (!left.empty() && wait_for(writing_.get(), POLLOUT)) {
            const ssize_t written = ::write(writing_.get(), left.data(), left.size());
            if (written < 0 && errno != EAGAIN && errno != EINTR) break;
            if (written > 0) left.remove_prefix(static_cast<size_t>(written));
        }
        if (!left.empty()) break;
    }
    writing_.reset();
}

}  // namespace husk::cli
