// The tools of a contract, on the engine: a call comes in as JSON and goes out as JSON.
#pragma once

#include <husk/husk.h>

#include <expected>
#include <functional>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "contract/contract.h"
#include "decide/rules.h"
#include "request/settings.h"
#include "tool/judge.h"
#include "tool/lasting_bash.h"
#include "tool/read_shell.h"

namespace husk::tool {

// What the tools are given by whoever offers them.
struct Deployment {
    const contract::Contract* contract = nullptr;
    config::Settings configured = {};  // of which a call may only ask for less
    Settings settings = {};
    ToolContext walls = {};  // and the workspace, absolute, where calls start
    decide::Rules rules = {};
    std::vector<std::string> notes = {};  // on every run, for example about the configuration
    std::string session = {};             // empty: that of workspace, mode and caller
    std::string caller = {};              // who was authenticated; empty: the user
    std::optional<std::chrono::milliseconds> answer_within = {};
    contract::Situation::Arguments arguments = contract::Situation::Arguments::Usual;
    enum class Report { Left, InMeta } report = Report::Left;  // all of it, without output
    // Whether somebody agrees to a command that a rule asks about. None: nobody can be asked.
    std::function<bool(const Judged& judged)> approve = {};
    contract::DocwareSettings docware = {};
};

class Toolbox {
public:
    explicit Toolbox(Deployment deployment);

    // MCP's ListToolsResult.
    contract::Json tools() const;

    // MCP's CallToolResult; an error only when there is no such tool. Whatever else is wrong is in
    // the result. May be called from several threads at once. `on_record` gets the records of the
    // contract's stream while the command runs, one at a time, if the call asks for them.
    using OnRecord = std::function<void(const contract::Json& record)>;
    std::expected<contract::Json, std::string> call(std::string_view tool,
                                                    std::string_view arguments,
                                                    const std::stop_token& cancel = {},
                                                    const OnRecord& on_record = {});

private:
    contract::Outcome perform(const contract::Run& run, const std::stop_token& cancel,
                              const OnRecord& on_record);
    contract::Outcome perform(const contract::Read& read, const std::stop_token& cancel,
                              const OnRecord& on_record);
    contract::Outcome perform(const contract::Wait& wait, const std::stop_token& cancel,
                              const OnRecord& on_record);
    contract::Outcome perform(const contract::Kill& kill, const std::stop_token& cancel,
                              const OnRecord& on_record);
    contract::Outcome perform(const contract::List& list, const std::stop_token& cancel,
                              const OnRecord& on_record);

    contract::Outcome perform(const contract::Talk& talk, const std::stop_token& cancel,
                              const OnRecord& on_record);

    Result<contract::Told> run_in(LastingBash& bash, const contract::Talk& talk,
                                  const os::Deadline& give_up, const std::stop_token& cancel);
    Result<contract::Told> talk_to(const contract::Talk& talk, const std::stop_token& cancel);
    Result<Report> start_lasting(LastingBash& bash);

    contract::Situation situation() const;
    ToolContext context_for(const contract::Run& run) const;
    contract::Told watched(const Request& request, ToolContext& context,
                           const std::optional<contract::Watch>& watch, const OnRecord& on_record);
    std::optional<Report> refused(const contract::Run& run, Verdict& verdict) const;
    // With what configuration and contract add to it; an error when it asks for too much.
    std::expected<Request, std::string> equipped(const contract::Run& run) const;
    std::string own_session(Mode mode, const Network& network) const;
    bool is_own(const std::string& caller, const std::string& session) const;
    Result<KnownShell> own_shell(const std::string& id) const;

    Deployment deployment_;
    std::string workspace_id_;
    Bash bash_;
};

// Why these walls, or in mode open those of read-only, cannot be had on this machine; empty when
// nothing speaks against them.
std::string closed_modes_missing(const ToolContext& walls);

}  // namespace husk::tool
