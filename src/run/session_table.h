// The sessions of a state directory, seen from outside.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "run/state_dir.h"

namespace husk::run {

struct SessionInfo {
    std::string id;
    std::string name;   // empty: private
    pid_t nursery = 0;  // 0: nobody is in it
};

Result<std::vector<SessionInfo>> list_sessions(const StateDir& state);

// Ends everything in the session and waits for it. One that has ended already is fine.
Result<void> end_session(const StateDir& state, const std::string& name_or_id);

}  // namespace husk::run
