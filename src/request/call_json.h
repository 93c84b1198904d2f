// A call as it is kept behind its record, so that any process can say later what it was.
#pragma once

#include <husk/report.h>
#include <husk/request.h>

#include <string>
#include <vector>

namespace husk {

struct CallNote {
    std::string command;
    std::string description;
    std::string session;  // the name, or the id of a private one
    std::string working_dir;
    std::string workspace;                   // of a closed mode
    std::vector<std::string> writable = {};  // more directories that its commands may write
    std::string caller = {};                 // empty: nobody in particular
    bool background = false;
    bool goes_with_session = false;  // the log is removed when the session has ended
    std::optional<std::chrono::milliseconds> timeout = {};
    OnTimeout on_timeout = OnTimeout::Kill;
    Leftovers leftovers = Leftovers::Adopt;
    Streams streams = Streams::Merged;
    Confinement confinement = {};  // which walls stand around it
};

std::string to_json(const CallNote& note);

// The texts of it; a half-written file gives empty ones, never an error.
CallNote call_from_json(const std::string& text);

}  // namespace husk
