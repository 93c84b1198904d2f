// Threads for what would keep its caller waiting.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace husk::tool {

// Does work in the order in which it comes, with as many threads as are needed, up to `most`.
class Workers {
public:
    explicit Workers(size_t most) : most_(most) {}
    ~Workers();  // what was posted is done first
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    void post(std::function<void()> work);

private:
    void start_thread();
    void loop();

    size_t most_;
    std::mutex guard_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> waiting_;
    size_t idle_ = 0;
    bool closing_ = false;
    std::vector<std::thread> threads_;
};

// Lets so many in at a time. Who has entered leaves when what it came for has ended, on any thread.
class Turnstile {
public:
    explicit Turnstile(size_t places) : free_(places) {}

    // True: there is room, and whoever asked has entered. Else `work` is called by whoever leaves
    // and makes room.
    bool enter(std::function<void()> work);
    void leave();

private:
    std::mutex guard_;
    size_t free_;
    std::deque<std::function<void()>> waiting_;
};

}  // namespace husk::tool
