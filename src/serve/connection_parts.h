// What the two files of Connection share: one answers what is known at once, the other calls tools.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "serve/connection.h"

namespace husk::serve {

// Under way at a time, on one connection: calls, and requests that wait for tasks.
inline constexpr size_t most_calls = 4096;

struct Connection::Speaker {
    Era era;
    Json capabilities;
    std::string version;
    std::optional<Level> level = {};  // from which on it wants to hear what there is to log
};

// A call of a tool that is under way.
struct Connection::Call {
    Json id;
    std::string key;  // the id as it stands in the table
    std::string tool;
    std::string arguments;
    Speaker speaker;
    Send reply;
    Send aside;  // for what is said before the answer
    std::shared_ptr<Progress> progress = {};
    std::optional<husk::Answer> said = {};  // that came with the request
    std::stop_source stop = {};
    bool wants_task = false;
    std::string task = {};  // the shell that it has become

    void log(const LogEntry& entry) const {
        if (speaker.level && entry.level >= *speaker.level) aside(log_message(entry));
    }
};

}  // namespace husk::serve
