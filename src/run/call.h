// A command that has been handed to a keeper, seen by the caller that waits for it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "os/fd.h"
#include "run/plan.h"
#include "run/session.h"
#include "run/spool.h"

namespace husk::run {

enum class News {
    None,
    Started,     // of a background command
    Background,  // its time is over, it goes on
    Ended,       // main has ended, its tree has not
    Gone,        // all is over
    Dropped,     // the keeper is gone without a word
};

class Call {
public:
    // What the command gets besides its plan.
    struct Belongings {
        os::Fd directory;
        os::Fd input;
        std::optional<os::LimitedCgroup> cgroup = {};  // as the message says
    };

    // `message` is the encoded plan.
    static Result<Call> start(Session& session, const LaunchPlan& plan, const std::string& message,
                              Belongings belongings, CallFiles files);

    const CallFiles& files() const { return files_; }
    int lifeline() const { return lifeline_.get(); }

    // What the keeper has said since, without waiting.
    News hear() const;
    // From now on the command is a background shell.
    void detach() const;
    // Takes the plan back if no keeper has it yet. True: nothing was and will be started.
    bool take_back() const;

private:
    CallFiles files_;
    std::optional<os::LimitedCgroup> cgroup_;
    os::Fd lifeline_;
};

// The keeper of a record: the process that holds its lock, or nobody.
pid_t keeper_of(const os::Fd& record);

// Whether that process has signed the record, where it writes the number that its session sees.
// Nothing: the process cannot be looked at.
std::optional<bool> has_signed(pid_t holder, const record::Record& page);

// Asks the keeper of that record, whose file this is, to end its tree. A stranger who locked it
// gets no signal, and a keeper that has gone on to another command does not listen.
Result<void> stop(const os::Fd& file, const record::Record& page, record::Reason reason,
                  const StopLadder& ladder);

}  // namespace husk::run
