// Messages on their way out, so that nobody who has one waits for a slow reader.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "os/events.h"

namespace husk::serve {

class Outbox {
public:
    // `on_gone` is called when nobody reads any more, on the writer's thread.
    static Result<std::unique_ptr<Outbox>> make(int fd, std::function<void()> on_gone);
    ~Outbox();
    Outbox(const Outbox&) = delete;
    Outbox& operator=(const Outbox&) = delete;

    // Never waits. Written at once if the reader is not behind, else by the outbox's own thread.
    enum class Kind { Needed, MayBeDropped };  // dropped when the reader is behind
    void put(std::string line, Kind kind);
    // Waits while so much has not been read that nothing more should be begun; not beyond a stop.
    void wait_for_room(const std::stop_token& stop);
    // Waits until everything is written, nobody reads any more, or patience is over.
    void drain(std::chrono::milliseconds patience);

private:
    Outbox(int fd, os::Bell bell, std::function<void()> on_gone);
    void loop();
    bool write_line(std::string_view line);
    // What of it could not be written without waiting.
    std::string_view write_now(std::string_view line) const;

    int fd_;
    os::Bell bell_;  // rung when the writer shall give up
    std::function<void()> on_gone_;
    std::mutex guard_;
    std::condition_variable_any changed_;
    std::deque<std::string> lines_;
    size_t bytes_ = 0;  // of those, and of the one that is being written
    bool over_ = false;
    std::thread thread_;
};

}  // namespace husk::serve
