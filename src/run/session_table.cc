#include "run/session_table.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <tuple>

#include "os/events.h"
#include "os/file.h"
#include "os/process.h"
#include "run/call.h"

namespace husk::run {
namespace {

// A command may take its two seconds of patience, and what cannot be killed five more.
constexpr auto end_patience = std::chrono::seconds(10);
constexpr auto look_again = std::chrono::milliseconds(5);

}  // namespace

Result<std::vector<SessionInfo>> list_sessions(const StateDir& state) {
    std::vector<SessionInfo> sessions;
    if (!state.sessions()) return sessions;
    for (const std::string& id : TRY(os::list(state.sessions()))) {
        const auto lock = os::open_at(state.sessions(), id + "/lock", O_RDONLY);
        if (!lock) continue;  // being made, or being cleared away
        constexpr size_t longest_name = 128;
        std::string name = os::read_at(*lock, 0, longest_name).value_or("");
        name.resize(std::min(name.find('\n'), name.size()));
        sessions.push_back({id, std::move(name), keeper_of(*lock)});
    }
    std::ranges::sort(sessions, {}, [](const SessionInfo& s) { return std::tie(s.name, s.id); });
    return sessions;
}

Result<void> end_session(const StateDir& state, const std::string& name_or_id) {
    const std::vector<SessionInfo> sessions = TRY(list_sessions(state));
    const auto found = std::ranges::find_if(sessions, [&](const SessionInfo& session) {
        return session.name == name_or_id || session.id == name_or_id;
    });
    if (found == sessions.end())
        return failure("session", 0, name_or_id + " is not known here; see husk session list");
    const os::Fd lock = TRY(os::open_at(state.sessions(), found->id + "/lock", O_RDONLY));
    const pid_t nursery = keeper_of(lock);
    if (nursery == 0) return {};
    const os::Fd process = TRY(os::open_process(nursery));
    // The number was the nursery's when we asked; is it still, now that we hold the process?
    if (keeper_of(lock) != nursery) return {};
    CHECK(os::send_signal(process, SIGTERM, 0));
    const auto give_up = os::Clock::now() + end_patience;
    while (keeper_of(lock) == nursery) {
        if (os::Clock::now() >= give_up)
            return failure("session", ETIMEDOUT, name_or_id + " has not ended; see husk shells");
        std::ignore = os::wait_for({}, os::Clock::now() + look_again);
    }
    return {};
}

}  // namespace husk::run
