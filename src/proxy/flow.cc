#include "proxy/flow.h"

#include <sys/socket.h>

#include <cerrno>

namespace husk::proxy {
namespace {

Progress failed() { return errno == EAGAIN || errno == EINTR ? Progress::None : Progress::Broken; }

}  // namespace

Progress Flow::receive(std::string_view bytes) {
    const auto taken = body_.take(bytes);
    if (!taken) return Progress::Broken;
    waiting_ += bytes.substr(0, *taken);
    return *taken > 0 ? Progress::Some : Progress::None;
}

Progress Flow::fill(int source) {
    if (!wants_input()) return Progress::None;
    char chunk[room];
    const ssize_t got = ::recv(source, chunk, room - waiting_.size(), 0);
    if (got < 0) return failed();
    if (got > 0) return receive({chunk, static_cast<size_t>(got)});
    source_ended_ = true;
    return Progress::Some;
}

Progress Flow::drain(int sink) {
    Progress progress = Progress::None;
    if (!waiting_.empty()) {
        const ssize_t put = ::send(sink, waiting_.data(), waiting_.size(), MSG_NOSIGNAL);
        if (put < 0) return failed();
        waiting_.erase(0, static_cast<size_t>(put));
        progress = Progress::Some;
        // A long head is gone: its memory shall be as well.
        if (waiting_.empty() && waiting_.capacity() > 2 * room) waiting_ = std::string();
    }
    if (waiting_.empty() && source_ended_ && !passed_on_) {
        passed_on_ = true;
        // It may have been reset meanwhile; the next read says so.
        ::shutdown(sink, SHUT_WR);
    }
    return progress;
}

Progress Flow::pump(int source, int sink) {
    const Progress filled = fill(source);
    if (filled == Progress::Broken) return filled;
    const Progress drained = drain(sink);
    return drained == Progress::None ? filled : drained;
}

}  // namespace husk::proxy
