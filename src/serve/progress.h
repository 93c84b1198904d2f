// Telling clients that a call is still under way, so that they do not give up on it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "serve/json_rpc.h"
#include "serve/ways.h"
#include "tool/toolbox.h"

namespace husk::serve {

// One call whose client wants to hear of it.
class Progress {
public:
    Progress(Json token, Send send) : token_(std::move(token)), send_(std::move(send)) {}

    void set_shell(const std::string& id);
    // What is told says so.
    void belong_to_task();
    // Nothing is sent after this has returned.
    void stop();
    // Sends what is new; or, now and then, that nothing is. False when stopped.
    bool tell(const tool::Toolbox& toolbox);
    // A record of the contract's stream, as it comes.
    void tell_record(const Json& record);

private:
    using Clock = std::chrono::steady_clock;
    void send(Json params);

    Json token_;
    Send send_;
    std::mutex guard_;
    bool stopped_ = false;
    bool of_task_ = false;
    std::string shell_;
    uint64_t told_bytes_ = 0;
    double told_seconds_ = -1;  // each has to be more than the one before
    Clock::time_point start_ = Clock::now();
    Clock::time_point told_ = start_;
};

// Once a second, as long as there is something to tell.
class Ticker {
public:
    explicit Ticker(const tool::Toolbox& toolbox) : toolbox_(toolbox) {}
    ~Ticker();
    Ticker(const Ticker&) = delete;
    Ticker& operator=(const Ticker&) = delete;

    void add(std::shared_ptr<Progress> progress);

private:
    void loop();

    const tool::Toolbox& toolbox_;
    std::mutex guard_;
    std::condition_variable changed_;
    std::vector<std::shared_ptr<Progress>> watched_;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace husk::serve
