#include "serve/http_loop.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace husk::serve::http {

namespace asio = boost::asio;
using boost::system::error_code;

struct Loop::Inside {
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
};

Loop::Loop() : inside_(std::make_unique<Inside>()) {}
Loop::~Loop() = default;

void Loop::run() { inside_->context.run(); }
void Loop::stop() { inside_->context.stop(); }
void Loop::post(std::function<void()> work) { asio::post(inside_->context, std::move(work)); }
asio::io_context& Loop::context() { return inside_->context; }

struct Timer::Inside {
    explicit Inside(asio::io_context& context) : timer(context) {}
    asio::steady_timer timer;
    std::function<void()> work;
    uint64_t set = 0;  // how often, so that one that has just run out is known to be old
};

Timer::Timer(Loop& loop) : inside_(std::make_shared<Inside>(loop.context())) {}
Timer::~Timer() { cancel(); }

void Timer::set(std::chrono::milliseconds from_now, std::function<void()> work) {
    inside_->work = std::move(work);
    const uint64_t number = ++inside_->set;
    inside_->timer.expires_after(from_now);
    inside_->timer.async_wait([inside = inside_, number](const error_code& failed) {
        if (failed || inside->set != number || !inside->work) return;
        std::exchange(inside->work, nullptr)();
    });
}

void Timer::cancel() {
    ++inside_->set;
    inside_->work = nullptr;
    inside_->timer.cancel();
}

struct Readable::Inside : std::enable_shared_from_this<Readable::Inside> {
    Inside(asio::io_context& context, int fd) : descriptor(context, fd) {}

    void wait() {
        descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                              [self = shared_from_this()](const error_code& failed) {
                                  if (failed || !self->work) return;
                                  const auto now = self->work;  // it may end this
                                  now();
                                  if (self->work) self->wait();
                              });
    }

    asio::posix::stream_descriptor descriptor;
    std::function<void()> work;
};

Readable::Readable(Loop& loop, int fd, std::function<void()> work)
    : inside_(std::make_shared<Inside>(loop.context(), fd)) {
    inside_->work = std::move(work);
    inside_->wait();
}

Readable::~Readable() {
    inside_->work = nullptr;
    inside_->descriptor.release();
}

}  // namespace husk::serve::http
