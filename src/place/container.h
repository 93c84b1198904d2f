// The container of a session: made when it is first needed, and found again by every later call.
#pragma once

#include <husk/request.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/state_dir.h"

namespace husk::place {

// The workspace, as commands see it.
inline constexpr const char* workspace_inside = "/workspace";

struct Wanted {
    std::filesystem::path socket;  // of the engine; empty: the usual one
    std::string image;
    std::filesystem::path workspace;  // absolute
    // read-only: all of it is; workspace: what others trust in it is; open: what is named here.
    Mode mode = Mode::Workspace;
    std::vector<std::filesystem::path> read_only;  // absolute, or below the workspace; globs too
    // Below the workspace: made where it does not exist, so that nobody else makes it.
    std::vector<std::string> always_read_only;
    Network network;
    Limits limits;
    std::string session;                  // empty: for one command
    std::chrono::milliseconds linger{0};  // without any command
};

struct Container {
    std::filesystem::path socket;
    std::string id;
};

// Errors say what to do: no engine, no such image, a session whose container is another.
Result<Container> container_for(const Wanted& wanted, const run::StateDir& state);

// Ends that of a session, by the session's name or id, if it has one.
Result<void> end_container(const run::StateDir& state, const std::string& session);

// The directory inside that a call means: an absolute one as it is, others below the workspace. An
// error when it would be outside.
Result<std::string> directory_inside(const std::filesystem::path& asked);

// The same command as one for this host, with which the container is told to run it. `self` is the
// program husk.
Request moved(const Request& request, const Container& container, const std::string& directory,
              const std::string& self);

}  // namespace husk::place
