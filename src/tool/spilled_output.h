// Output that is too long for an answer, in files that go when the server that wrote them ends.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/shell_files.h"
#include "os/fd.h"
#include "run/state_dir.h"

namespace husk::tool {

// The files of one server. Thread-safe. A ledger in the state directory names them, so that the
// next server removes what a killed one has left behind.
class SpilledOutput {
public:
    // When the files are removed. `husk call` ends with its answer, so its files go with the
    // session.
    enum class Until { ServerEnds, SessionEnds };

    // The first file also makes `directory`, an absolute path without links. Empty: the output
    // stays in the log of its shell.
    SpilledOutput(std::filesystem::path state, std::filesystem::path directory, Until until);
    ~SpilledOutput();
    SpilledOutput(const SpilledOutput&) = delete;
    SpilledOutput& operator=(const SpilledOutput&) = delete;

    // Writes the output of an ended shell to a file of its own (0600, in directories of 0700), or
    // leaves it in the log. Returns the file. If the file cannot be written, the log is kept and
    // removed like the file, and the error says why.
    Result<std::filesystem::path> keep(const collect::ShellFiles& shell);

    bool has_directory() const { return !directory_.empty(); }
    // Whether there are files that the destructor removes.
    bool has_files() const;

private:
    Result<std::filesystem::path> copy_to_directory(const collect::ShellFiles& shell);
    Result<void> note(const std::string& line, const std::string& shell_id);

    std::filesystem::path state_;
    std::filesystem::path directory_;  // without links
    Until until_;
    mutable std::mutex guard_;
    os::Fd ledger_;  // locked while this server lives; with SessionEnds only while it is written
    std::string ledger_name_;
};

// Removes what servers that were killed, and sessions that have ended, have left behind.
Result<void> remove_abandoned_output(const run::StateDir& state);

}  // namespace husk::tool
