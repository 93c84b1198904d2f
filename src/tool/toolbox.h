// The tools of a contract, on the engine: a call comes in as JSON and goes out as JSON.
#pragma once

#include <husk/husk.h>

#include <atomic>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "contract/contract.h"
#include "decide/rules.h"
#include "place/container.h"
#include "record/configuration_entry.h"
#include "record/journal.h"
#include "request/settings.h"
#include "tool/judge.h"
#include "tool/lasting_bash.h"
#include "tool/news.h"
#include "tool/read_shell.h"
#include "tool/spilled_output.h"
#include "tool/workers.h"

namespace husk::tool {

class LiveConfiguration;

// What the tools are given by whoever offers them.
struct Deployment {
    const contract::Contract* contract = nullptr;
    config::Settings configured = {};  // of which a call may only ask for less
    Settings settings = {};
    // The walls, and the workspace (absolute). Calls start there unless `working_dir` is set.
    ToolContext walls = {};
    std::optional<place::Wanted> container = {};  // where commands run, if not on this host
    decide::Rules rules = {};
    std::vector<std::string> notes = {};  // on every run, for example about the configuration
    std::string session = {};             // empty: that of workspace, mode and caller
    std::string caller = {};              // who was authenticated; empty: the user
    std::string via = "library";          // the way in, for the audit: call, mcp, serve
    contract::Situation::Arguments arguments = contract::Situation::Arguments::Usual;
    enum class Report { Left, InMeta } report = Report::Left;  // all of it, without output
    contract::DocwareSettings docware = {};
    // For a contract whose answers point to files: their directory, and when they are removed.
    std::filesystem::path output_dir = {};
    SpilledOutput::Until output_until = SpilledOutput::Until::ServerEnds;
    std::filesystem::path users_file = {};  // where a person's "always" is written; empty: nowhere
    // Reads the configuration again when it changes; null: it never does.
    std::shared_ptr<LiveConfiguration> live = {};
};

// What one call is given.
struct CallContext {
    std::stop_token cancel = {};
    // Clients give up; what takes longer is answered while it runs.
    std::optional<std::chrono::milliseconds> answer_within = {};
    // A short command is started by the thread that calls, once the session is there: waking
    // another one costs a call of `true` five percent.
    bool start_here = false;
    std::string via = {};  // that of the deployment, more closely: v1, mcp
    // Keeps it in a session apart from that of other calls, where it names none itself.
    std::string apart = {};
    // A command is run as a shell of its own, for which nobody waits.
    bool in_background = false;
    // Its command goes on as this shell, because the answer had to be given within that time.
    std::function<void(const std::string& shell_id)> on_moved = {};
    // The shell that it is about, as soon as that is known. On a thread that must not be kept.
    std::function<void(const std::string& shell_id)> on_shell = {};
    // Gets the records of the contract's stream while the command runs, one at a time, if the call
    // asks for them. On a thread that must not be kept.
    std::function<void(const contract::Json& record)> on_record = {};
    // Gets the output of its command as it comes, and all kept output before the result. On a
    // thread that must not be kept either.
    std::function<void(const OutputPiece& piece)> on_output = {};
    // Gets a sample of what a watched command uses, about once a second. On such a thread too.
    std::function<void(const contract::Sample& sample)> on_sample = {};
    // Asked where a rule says so. An answer that never comes leaves a call without a result. None:
    // nobody can be asked.
    Approver approver = {};
    // What became of its command, where it has one, before the result. On a thread likewise.
    std::function<void(const Report& report)> on_report = {};
};

// What a shell has said so far.
struct Glimpse {
    uint64_t bytes = 0;
    std::string last_line;
};

class Toolbox {
public:
    explicit Toolbox(Deployment deployment);
    ~Toolbox();

    // MCP's ListToolsResult.
    contract::Json tools() const;

    // MCP's CallToolResult; an error only when there is no such tool. Whatever else is wrong is in
    // the result. May be called from several threads at once.
    using Called = std::expected<contract::Json, std::string>;
    Called call(std::string_view tool, std::string_view arguments, CallContext context = {});

    // The same without waiting: `done` is called once, on a thread that must not be kept. Thousands
    // may be under way; of their commands 128 run at a time, and as many calls wait for shells. The
    // toolbox may go when all are done.
    using Done = std::function<void(Called)>;
    void call(std::string tool, std::string arguments, CallContext context, Done done);

    // What would be decided about this; an empty directory is the workspace.
    Judged verdict(const Request& request) const;
    // Writes a person's "always" into the user's file. Returns a sentence about the outcome. May
    // wait for the disk.
    std::string remember(const Question& question);

    // Obeys the configuration if it has changed, from the next call on. Each call does that by
    // itself. May wait for a file that is being written.
    void look_at_configuration();
    // Calls the function when a changed configuration is obeyed or refused, as long as the result
    // lives. On any thread, which must not be kept.
    struct Reconfigured {
        const audit::ConfigurationChange& change;
        bool tools_changed;  // what `tools` returns is different
    };
    using Listening = News<Reconfigured>::Subscription;
    [[nodiscard]] Listening on_configuration(std::function<void(const Reconfigured&)> tell) const;
    // Whether it is ever told.
    bool can_change() const { return deployment_.live != nullptr; }
    // Whether answers have named files that go with this object.
    bool has_spilled_files() const { return spilled_ && spilled_->has_files(); }
    // What counts for a call that begins now.
    std::shared_ptr<const Deployment> deployment() const;

    // The caller's shells, living ones first, without output.
    Result<std::vector<Report>> shells() const;
    // What one of them has said, made readable and cut to size. It is not taken for told.
    Result<std::string> log(const std::string& id, uint64_t max_bytes) const;
    Result<Glimpse> glimpse(const std::string& id) const;
    // That of another caller does not exist.
    Result<KnownShell> own_shell(const std::string& id) const;
    const Settings& settings() const { return deployment_.settings; }
    // The least level of log messages for clients that have not named a level; "off": none.
    std::string usual_log_level() const;

    // Whether what a tool runs may go on when it has been answered, and whether there is such a
    // tool.
    bool can_be_task(std::string_view tool) const;
    bool has_tasks() const;
    // The CallToolResult of a command that went on, as if its caller had waited.
    Result<contract::Json> result_of(const std::string& id) const;
    // Stops a shell as a call is cancelled; `done` is called when that is over.
    void cancel(const std::string& id, std::function<void()> done);

private:
    struct InForce;
    using InForcePtr = std::shared_ptr<const InForce>;
    struct Call;
    enum class Thread { Callers, Quick };
    void begin(const std::shared_ptr<Call>& call, Thread thread);
    void take(const std::shared_ptr<Call>& call, const contract::Run& run);
    void take(const std::shared_ptr<Call>& call, const contract::Wait& wait);
    void take(const std::shared_ptr<Call>& call, const contract::Kill& kill);
    void take(const std::shared_ptr<Call>& call, const contract::Talk& talk);
    template <class Quick>
    void take(const std::shared_ptr<Call>& call, const Quick& action);
    void finish(const Call& call, const contract::Outcome& outcome) const;
    static void tell_audit(const Call& call, const contract::Outcome& outcome);

    // toolbox_permit.cc
    struct Weighed;
    enum class Shell { Fresh, GoesOn };
    static Weighed weigh(const InForce& in_force, const contract::Run& run,
                         Shell shell = Shell::Fresh);
    static void note(const Call& call, const Weighed& weighed);
    void permit(const std::shared_ptr<Call>& call, Weighed weighed, std::function<void()> go_on);
    Question question_for(const Call& call, const Weighed& weighed) const;
    void remember_answer(Call& call, const Weighed& weighed);
    void refuse(const Call& call, const Weighed& weighed, const Answer& said) const;
    void refuse(const Call& call, const Weighed& weighed, Ending ending) const;

    // toolbox_run.cc
    void start(const std::shared_ptr<Call>& call);
    void run(const std::shared_ptr<Call>& call, Request request, ToolContext context);
    void launch(const std::shared_ptr<Call>& call);
    Result<void> watch(Call& call, const contract::Watch& wanted, ToolContext& context) const;
    void hold(Call& call, const std::string& shell_id) const;
    void ended(const std::shared_ptr<Call>& call, Report report);
    contract::Told told(Call& call, Report report) const;
    Result<void> add_bytes(Call& call, contract::Told& told) const;
    void settle_output(Call& call, contract::Told& told) const;
    void forget_output(const Call& call) const;
    // With what configuration and contract add to it; an error when it asks for too much.
    static std::expected<Request, std::string> equipped(const InForce& in_force,
                                                        const contract::Run& run);
    Result<void> check_ask_for(const Call& call, const contract::Run& run) const;
    ToolContext context_for(const Call& call, const contract::Run& run) const;

    // toolbox_talk.cc
    using Talked = std::variant<contract::Told, Weighed>;  // or somebody has to decide first
    void converse(const std::shared_ptr<Call>& call, const contract::Talk& talk);
    Result<Talked> talk_to(const Call& call, const contract::Talk& talk);
    Result<Talked> run_in(LastingBash& bash, const Call& call, const contract::Talk& talk,
                          const os::Deadline& give_up) const;
    Result<Report> start_lasting(LastingBash& bash, const Call& call);

    contract::Outcome perform(const contract::Read& read) const;
    contract::Outcome perform(const contract::Wait& wait, const std::stop_token& cancel) const;
    contract::Outcome perform(const contract::Kill& kill) const;
    contract::Outcome perform(const contract::List& list) const;

    // toolbox_configuration.cc
    std::string remember_settings(const std::string& text);
    InForcePtr in_force() const;
    void use(InForcePtr fresh);
    // A failure to record becomes one of the change's warnings.
    void record(audit::ConfigurationChange& change) const;

    std::string own_session(const InForce& in_force, const ToolContext& asked,
                            const std::string& apart) const;
    bool is_own(const std::string& caller, const std::string& session) const;

    // The deployment of the start, for its contract, state directory, workspace, session, caller
    // and way in. Everything that the configuration can change is in `in_force_`.
    Deployment deployment_;
    std::string workspace_id_;
    std::shared_ptr<audit::Journal> journal_;
    std::unique_ptr<SpilledOutput> spilled_;  // if the answers of the contract point to files
    std::mutex looking_;                      // one thread looks, and the others wait for it
    mutable std::mutex guard_;
    InForcePtr in_force_;
    mutable News<Reconfigured> news_;
    std::atomic<bool> warm_ = false;  // the last command was started
    // In the order in which they may go: each posts only to those above it.
    Turnstile running_{128};
    Workers patient_{128};  // for what waits for a shell or a bash
    Bash bash_;
    Workers quick_{4};
};

// Why these walls, or in mode open those of read-only, cannot be had on this machine; empty when
// nothing speaks against them.
std::string closed_modes_missing(const ToolContext& walls);

}  // namespace husk::tool
