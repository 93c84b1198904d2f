// The parts of the contract `docware`.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "contract/contract.h"
#include "contract/docware_errors.h"
#include "decide/check.h"
#include "decide/context.h"
#include "decide/variables.h"
#include "parse/script.h"

namespace husk::contract {

Tool docware_tool(const Situation& situation);

// The JSON Schema of its results.
Json docware_output_schema();

// Absent: everything is allowed. An empty list allows nothing.
using AllowedList = std::optional<std::vector<std::string>>;

// A call as the checks see it.
struct DocwareCall {
    std::string command;
    std::vector<std::string> args;
    bool shell = false;  // else command and args are run as they are
    std::string line;    // the same for bash to read
    std::string working_dir;
    std::map<std::string, std::optional<std::string>> env;
    AllowedList whitelist;
    AllowedList allowed_paths;
    Json resources = Json::object();  // what was asked for: max_memory and the like
    bool confirmable = false;         // dangerous commands are asked about
};

// The directory that ~ and $HOME mean; empty if that is not known before running.
std::string home_of(const DocwareCall& call);

// The text of a call, and the same text behind definitions of the variables in `env`, as if the
// script set them itself. A check counts whatever reading it finds something in.
struct Readings {
    struct WithVariables {
        parse::Script script;
        size_t definitions;  // so many commands at its beginning are not in the text
        decide::Definitions::Kind kind;
    };
    parse::Script text;
    std::vector<WithVariables> with_variables;
    std::map<std::string, std::string> secrets = {};  // variables whose values no answer shows
};

Readings read_call(const DocwareCall& call);

// What is found in any of the readings. Finding::command is the number in the text, and
// Command::none if it is about a definition.
std::vector<decide::Finding> findings_in(const Readings& readings,
                                         const std::set<std::string>& packs,
                                         const decide::Context& context);
std::vector<decide::Finding> signs_in(const Readings& readings, const decide::Context& context);

// ---- checks

struct LayerCheck {
    std::string type;     // "dangerous_operations"
    std::string details;  // what was found; when it passed, that nothing was
    bool passed = true;
    Json more = Json::object();  // id, severity, confidence, evidence, the path
};

struct Validation {
    // Asked: nothing forbids the command, but somebody has to confirm it.
    enum class Outcome { Passed, Asked, Refused } outcome = Outcome::Passed;
    std::string reason;
    std::string blocked_by;  // "dangerous_ops_check"; empty when it passed
    std::string risk = "low";
    std::vector<std::string> blocked = {};  // each layer that found something, with the id of that
    std::vector<LayerCheck> checks;         // up to the first that refuses
};

// The lists of the call and those of the configuration both count, each in its layer.
Validation validate(const DocwareCall& call, const Readings& readings,
                    const std::vector<decide::Finding>& findings, const DocwareSettings& settings);

// Refuses a NUL byte, in the same way for every argument: the kernel would end the text there. This
// check comes before the layers, because they would judge another text than the one that would run.
std::optional<Validation> refusal_of_nul(const DocwareCall& call);

LayerCheck check_dangers(const DocwareCall& call, const std::vector<decide::Finding>& findings,
                         const DocwareSettings& settings);
LayerCheck check_injection(const DocwareCall& call, const std::vector<decide::Finding>& findings,
                           const DocwareSettings& settings);
LayerCheck check_paths(const DocwareCall& call, const AllowedList& allowed,
                       const Readings& readings);

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
