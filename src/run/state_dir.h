// The state directory and the session directories in it. docs/spool.md is its page.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/fd.h"
#include "run/state_path.h"

namespace husk::run {

class StateDir {
public:
    // Makes what is missing. An error says what to do.
    static Result<StateDir> open_or_make(const std::filesystem::path& path);
    // Only looks; a directory that does not exist is one without sessions.
    static Result<StateDir> open_for_reading(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    const os::Fd& dir() const { return dir_; }
    const os::Fd& sessions() const { return sessions_; }  // may be empty when only reading

private:
    std::filesystem::path path_;
    os::Fd dir_;
    os::Fd sessions_;
};

// The files of a call that is still to come: they have a number and no content.
struct BlankFiles {
    uint64_t number = 0;
    os::Fd record;
    os::Fd log;
};

// One session's directory: log/, rec/, lock, and for a named one the socket `control`.
struct SessionDir {
    SessionDir() = default;
    ~SessionDir();
    SessionDir(const SessionDir&) = delete;
    SessionDir& operator=(const SessionDir&) = delete;

    std::string id;
    std::string name;  // empty: private
    std::filesystem::path path;
    os::Fd dir;
    os::Fd logs;
    os::Fd records;
    os::Fd lock;
    os::Fd blank;  // the state directory's empty files, to be used again
    std::atomic<uint64_t> next_number{1};
    std::mutex ahead_guard;
    std::vector<BlankFiles> ahead;
    size_t next_ahead = 0;      // so many are made when there are none left
    bool making_ahead = false;  // by one caller, and the others go on
};

// In a session's directory: what its walls have stopped, a line of JSON each. docs/denials.md.
inline constexpr const char* denials_file = "denials";

// The error with the path in it, and what can be done.
Error advise(Error error, const std::filesystem::path& path);

bool is_session_name(const std::string& name);
Result<void> check_session_name(const std::string& name);

Result<std::unique_ptr<SessionDir>> make_private_session(const StateDir& state);
// The one that has this name, made if there is none.
Result<std::unique_ptr<SessionDir>> find_or_make_session(const StateDir& state,
                                                         const std::string& name);

}  // namespace husk::run
