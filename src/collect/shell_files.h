// A shell by its id: its files, and what they say at this moment.
#pragma once

#include <husk/report.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "keeper/record.h"
#include "os/events.h"
#include "os/fd.h"
#include "run/state_dir.h"

namespace husk::collect {

struct ShellFiles {
    std::string id;
    os::Fd record;
    os::Fd log;
    os::Fd error_log;  // empty when the streams are merged
    std::filesystem::path log_path;
    std::filesystem::path error_log_path;

    // Whether the session's nursery is there to write off what its keepers leave.
    bool nursery_lives() const;
};

// Ids of all shells that have a record.
Result<std::vector<std::string>> shell_ids(const run::StateDir& state);

// What is said of an id that is nobody's.
Error no_such_shell(const std::string& id);

Result<ShellFiles> open_shell(const run::StateDir& state, const std::string& id);

struct Snapshot {
    record::Record record;
    std::string call;  // JSON
    pid_t keeper = 0;  // as this process sees it; 0: nobody keeps it any more
    Ending ending;     // Running while it is
    bool tree_lives = false;
};

// Where a dead keeper's ending is about to be written by the nursery, waits for that: until
// `patience`, or five seconds.
Result<Snapshot> look(const ShellFiles& files, os::Deadline patience = {});

// How a finished record ended. Pure.
Ending ending_of(const record::Record& page);
// Exited or Signaled: how its main process ended, whoever caused that. Nothing if that is not
// known.
std::optional<Ending> end_of_main(const record::Record& page);
// The limit because of which Husk ended processes that the command had left behind. Pure.
std::optional<LimitExceeded> end_of_leftovers(const record::Record& page);

}  // namespace husk::collect
