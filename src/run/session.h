// A session seen from a caller: its directory and a connection to its nursery.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "os/fd.h"
#include "run/state_dir.h"

namespace husk::run {

// What a session's cgroup is called, below the one that its first caller was in.
inline std::string cgroup_name(const std::string& session_id) { return "husk-" + session_id; }

class Session {
public:
    // A session of this caller alone; it ends with its last command.
    static Result<std::unique_ptr<Session>> make_private(const StateDir& state);
    // Joins the session of that name, or makes it.
    static Result<std::unique_ptr<Session>> join(const StateDir& state, const std::string& name,
                                                 std::chrono::milliseconds linger);

    SessionDir& dir() { return *dir_; }
    // Ready to read when the nursery is gone.
    int nursery() const { return nursery_.get(); }
    bool nursery_is_gone() const;

    // Hands a plan to whichever keeper is free.
    Result<void> send(std::string_view plan, std::span<const int> fds) const;

    // The two ends of a new lifeline: the caller's and the keeper's.
    Result<std::pair<os::Fd, os::Fd>> make_lifeline();
    // Makes what the next call will need, while this one runs.
    void make_ahead();

private:
    Result<void> start_nursery(std::chrono::milliseconds linger, const os::Fd* listener);
    Result<void> join_nursery(std::chrono::milliseconds linger);
    Result<void> find_or_start_nursery(std::chrono::milliseconds linger);
    Result<void> hear_hello();

    std::unique_ptr<SessionDir> dir_;
    os::Fd nursery_;
    os::Fd queue_;
    std::mutex ahead_guard_;
    std::optional<std::pair<os::Fd, os::Fd>> lifeline_ahead_;
};

}  // namespace husk::run
