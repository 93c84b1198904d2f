// The parts of the contract `docware`.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/contract.h"
#include "contract/docware_errors.h"
#include "decide/check.h"
#include "decide/context.h"
#include "parse/script.h"

namespace husk::contract {

Tool docware_tool(const Situation& situation);

// The JSON Schema of its results.
Json docware_output_schema();

// A call as the checks see it.
struct DocwareCall {
    std::string command;
    std::vector<std::string> args;
    bool shell = false;  // else command and args are run as they are
    std::string line;    // the same for bash to read
    std::string working_dir;
    std::map<std::string, std::optional<std::string>> env;
    // Absent: every command, every path. An empty list allows none.
    std::optional<std::vector<std::string>> whitelist;
    std::optional<std::vector<std::string>> allowed_paths;
    Json resources = Json::object();  // what was asked for: max_memory and the like
    bool confirmable = false;         // dangerous commands are asked about
};

// ---- checks

struct LayerCheck {
    std::string type;     // "dangerous_operations"
    std::string details;  // what was found; when it passed, that nothing was
    bool passed = true;
    Json more = Json::object();  // id, severity, confidence, evidence, the path
};

struct Validation {
    bool allowed = true;
    std::string reason;
    std::string blocked_by;  // "dangerous_ops_check"; empty when allowed
    std::string risk = "low";
    std::vector<LayerCheck> checks;  // up to the first that failed
};

Validation validate(const DocwareCall& call, const parse::Script& script,
                    const std::vector<decide::Finding>& findings, const DocwareSettings& settings);

// Refuses a NUL byte, in the same way for every argument: the kernel would end the text there. This
// check comes before the layers, because they would judge another text than the one that would run.
std::optional<Validation> refusal_of_nul(const DocwareCall& call);

LayerCheck check_paths(const DocwareCall& call, const parse::Script& script);

Json validation_json(const Validation& validation);

// What the threat rules say, out of all that was found. Signs refuse nothing, and are told.
Json threat_analysis(const std::vector<decide::Finding>& findings,
                     const std::vector<decide::Finding>& signs);
// Layers find what no threat rule knows: the analysis calls nothing harmless that they have
// refused.
void agree_with(Json& analysis, std::string_view risk, bool refused);
// A threat rule stands for its pack: where threats are only told, it does not refuse.
bool is_threat(const decide::Finding& finding);

// The script as it was understood.
Json parsed_command(const DocwareCall& call, const parse::Script& script, const std::string& risk);

// ---- answers

// A call that was refused or failed before there was anything to run.
Answer docware_failure(const BashError& error);

Answer docware_answer(const Action& action, const Outcome& outcome);

Stream docware_stream();

}  // namespace husk::contract
