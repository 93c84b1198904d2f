// A call under way, as a small machine: what to wait for, and what to do when it comes. It
// does not wait itself, so that one thread can look after one of them or after thousands.
#pragma once

#include <husk/bash.h>

#include <map>
#include <memory>
#include <vector>

#include "collect/ledger.h"
#include "collect/shell_files.h"
#include "os/events.h"
#include "request/call_json.h"
#include "run/call.h"
#include "run/session.h"

namespace husk::tool {

// What a call is made of, worked out before anything is started.
struct CallPlan {
    run::LaunchPlan launch;
    confine::Wanted wanted;
    CallNote note;
    std::string call_json;
    std::filesystem::path working_dir;
    std::map<std::string, std::optional<std::string>> env;  // as the request changes it
    Input input;
    uint64_t max_output_bytes = 0;
    std::chrono::milliseconds early_end{0};
    int starts = 0;                  // how often it was handed over
    os::Clock::time_point asked_at;  // when the call came in
    // How long it took to build the session, if that was done for this call.
    std::optional<std::chrono::nanoseconds> session_built_in = {};
    collect::Grant grant;            // of the state directory's quota
    std::vector<std::string> notes;  // for the report
};

class StartedCall {
public:
    // Makes the files, opens what the command gets, and hands the plan to a keeper. The plan
    // stays with the caller if that fails.
    static Result<StartedCall> start(CallPlan& plan, std::shared_ptr<run::Session> session,
                                     const ToolContext& context);

    // What wakes this call, besides its cancellation; always the same number.
    static constexpr size_t fd_count = 3;
    void add_fds(std::vector<pollfd>& fds) const;
    os::Deadline deadline() const;

    // Takes note of what has happened. True when there is nothing more to wait for.
    bool advance();
    // The caller does not want it any more: the tree is killed. advance() tells when it is.
    void cancel();
    // True when nothing was started, because the session's nursery died, or a keeper that was being
    // killed took the plan: it can be tried again.
    bool must_be_repeated() const;

    CallPlan& plan() { return plan_; }
    const collect::Grant& grant() const { return plan_.grant; }
    Report report() const;

private:
    bool on_news(run::News news);
    bool advance_without_output();
    bool is_written_off();
    void watch_logs();
    void give_output();
    bool try_to_cancel();

    CallPlan plan_;
    std::shared_ptr<run::Session> session_;
    std::shared_ptr<const confine::Protected> before_;  // what others trust, and what is to stay so
    run::Call call_;
    collect::ShellFiles reader_;  // the same files, as a reader sees them
    std::function<void(const OutputPiece&)> on_output_;
    std::optional<os::FileWatch> watch_;  // of the logs, when somebody wants output as it comes
    uint64_t given_out_ = 0;
    uint64_t given_err_ = 0;
    os::Clock::time_point started_at_;
    bool background_confirmed_ = false;
    bool nursery_watched_ = true;
    bool cancelled_ = false;
    bool stop_sent_ = false;
    bool taken_back_ = false;
    bool overdue_ = false;  // nobody took it in time
    os::Deadline look_at_;  // its keeper was killed: when to look whether the nursery has said so
};

}  // namespace husk::tool
