// A session seen from a caller: its directory and a connection to its nursery.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "confine/orders.h"
#include "confine/walls.h"
#include "os/events.h"
#include "os/fd.h"
#include "run/state_dir.h"

namespace husk::run {

// What a session's cgroup is called, below the one that its first caller was in.
inline std::string cgroup_name(const std::string& session_id) { return "husk-" + session_id; }

class Session {
public:
    // A session of this caller alone; it ends with its last command, and `linger` after that if the
    // commands left something behind.
    static Result<std::unique_ptr<Session>> make_private(const StateDir& state,
                                                         std::chrono::milliseconds linger,
                                                         const confine::Wanted& wanted);
    // Joins the session of that name, or makes it. One that stands has to have just these walls.
    static Result<std::unique_ptr<Session>> join(const StateDir& state, const std::string& name,
                                                 std::chrono::milliseconds linger,
                                                 const confine::Wanted& wanted);

    SessionDir& dir() { return *dir_; }
    bool closed() const { return wanted_.closed(); }
    // Whether its commands see the file system through mounts of their own.
    bool has_own_view() const { return walls_.standing.files != "open"; }
    // How long it took to build the session with its walls; nothing if it stood already.
    std::optional<std::chrono::nanoseconds> built_in() const { return built_in_; }
    // Which walls stand around its commands.
    const Confinement& confinement() const { return walls_.standing; }
    // Ready to read when the nursery is gone.
    int nursery() const { return nursery_.get(); }
    // It takes no more calls: its nursery is dead, or its mason, with which it ends. True from the
    // moment when the nursery lets go of the session's lock: from then on the directory may be
    // removed. The end of the connection may come later.
    bool is_ending() const;

    // Before each call: what others trust in the workspace is read-only, also what was replaced
    // from outside or has come since. The mason watches the names that do not exist, and takes
    // them away if the session makes them, even if the caller is killed.
    Result<void> restore_protection();
    // Why the mason does not watch them: an errno, or 0 if it does.
    int unwatched() const { return unwatched_; }
    // Before each call: its proxy, where it has one, is started again if it was killed. `published`
    // are listening sockets for its ports, or none: then they are made.
    Result<void> restore_proxy(std::vector<os::Fd> published = {}) const;
    // As it was then; nothing where nothing is protected.
    std::shared_ptr<const confine::Protected> protection() const;
    const confine::Wanted& wanted() const { return exact_; }

    // Has the session's mason carry out orders about protected names. Returns an errno if not all
    // that should be is watched, or 0.
    Result<int> carry_out(std::span<confine::Order> orders) const;
    // A call has ended, nothing is left of it, and no protected name either. So the mason does not
    // take away what the user makes from now on.
    void note_settled(os::Clock::time_point when) const;
    // Whether the mason can watch names: it has to tell the session's doings from the user's.
    bool can_watch() const;

    // Hands a plan to whichever keeper is free.
    Result<void> send(std::string_view plan, std::span<const int> fds) const;

    // The two ends of a new lifeline: the caller's and the keeper's.
    Result<std::pair<os::Fd, os::Fd>> make_lifeline();
    // Makes what the next call will need, while this one runs.
    void make_ahead();

private:
    // How long it stays when nobody uses it: with nothing in it, and with what commands left.
    struct Lingers {
        std::chrono::milliseconds empty;
        std::chrono::milliseconds with_leftovers;
    };
    Session(std::unique_ptr<SessionDir> dir, const StateDir& state, confine::Wanted wanted);
    Result<void> start_nursery(const Lingers& lingers, const os::Fd* listener);
    Result<void> start_as_planned(const Lingers& lingers, const os::Fd* listener);
    Result<void> write_down_walls() const;
    Result<void> make_scratch() const;
    Result<void> check_walls();
    Result<os::Fd> open_denials() const;
    Result<void> open_settled();
    Result<void> join_nursery(std::chrono::milliseconds linger);
    Result<void> find_or_start_nursery(std::chrono::milliseconds linger);
    Result<void> hear_hello();
    Result<void> withhold_secrets();
    Result<wire::MasonAnswer> ask_mason(std::string_view order, const os::Fd& file) const;
    Result<void> take_roots(std::string& standing);
    Result<void> watch_absent();
    // By the mason.
    Result<void> have_taken(const confine::Steps& steps);

    std::unique_ptr<SessionDir> dir_;
    confine::Wanted wanted_;                                // as it was asked for
    confine::Wanted exact_;                                 // links resolved
    std::shared_ptr<const confine::Protected> protection_;  // once it holds
    confine::Walls walls_;                                  // planned by whoever starts the nursery
    std::atomic<int> unwatched_ = 0;
    uint32_t failed_step_ = 0;
    std::optional<std::chrono::nanoseconds> built_in_;
    std::optional<std::vector<std::filesystem::path>> secrets_;  // in its roots
    os::Fd nursery_;
    os::Fd queue_;
    os::Fd mason_;                  // only with walls
    os::Fd settled_;                // only where the mason watches names
    std::vector<os::Fd> ways_out_;  // sockets of its network for the proxy, if it has one
    mutable std::mutex ahead_guard_;
    std::optional<std::pair<os::Fd, os::Fd>> lifeline_ahead_;
};

}  // namespace husk::run
