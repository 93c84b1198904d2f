// The one thread that serves: what it does next, when, and what wakes it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace boost::asio {
class io_context;  // NOLINT(readability-identifier-naming)
}

namespace husk::serve::http {

class Loop {
public:
    Loop();
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    // Until stop(), which may be called by any thread.
    void run();
    void stop();
    // From any thread; done soon, in order, on the loop's.
    void post(std::function<void()> work);

    boost::asio::io_context& context();

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;
};

// Does something later, once. Setting it again, or its end, forgets what was set before.
class Timer {
public:
    explicit Timer(Loop& loop);
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    void set(std::chrono::milliseconds from_now, std::function<void()> work);
    void cancel();

private:
    struct Inside;
    std::shared_ptr<Inside> inside_;
};

// Calls `work` whenever the descriptor, which stays its owner's, has something to read.
class Readable {
public:
    Readable(Loop& loop, int fd, std::function<void()> work);
    ~Readable();
    Readable(const Readable&) = delete;
    Readable& operator=(const Readable&) = delete;

private:
    struct Inside;
    std::shared_ptr<Inside> inside_;
};

}  // namespace husk::serve::http
