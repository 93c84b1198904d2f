// For tests of the contract `docware`.
#pragma once

#include <stdexcept>
#include <string>

#include "contract/contract_cases.h"
#include "contract/docware.h"

namespace husk::contract {

inline Situation in_workspace() { return in_work(Mode::Workspace); }

// The verdict of the layers: "" when they have nothing against it, else who blocked it.
inline std::string blocked_by(const std::string& arguments,
                              const Situation& situation = in_workspace()) {
    const auto action = decoded(docware_contract, "Bash", arguments, situation);
    if (!action) return "not decoded: " + action.error().text;
    const auto& verdict = std::get<Run>(*action).verdict;
    return verdict ? verdict->rule : "";
}

inline std::string as_shell_command(const std::string& command) {
    return Json{{"command", command}, {"enable_shell_features", true}}.dump();
}

inline Answer docware_answer_to(const std::string& arguments, const Happened& happened) {
    const Run run = action_of<Run>(docware_contract, "Bash", arguments, in_workspace());
    return docware_contract.render(run, told_of(run, happened));
}

// What the layers refuse, as the engine would tell it.
inline Answer docware_refusal(const std::string& arguments,
                              const Situation& situation = in_workspace()) {
    const auto action = decoded(docware_contract, "Bash", arguments, situation);
    if (!action) return action.error();
    const Run& run = std::get<Run>(*action);
    if (!run.verdict) throw std::logic_error("not refused: " + arguments);
    Told told = told_of(run, {.ending = Denied{run.verdict->rule, run.verdict->reason}});
    told.report.verdict = run.verdict;
    told.report.pid.reset();
    return docware_contract.render(run, told);
}

inline bool has_type(const Json& value, const std::string& type) {
    return (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
           (type == "null" && value.is_null()) ||
           (type == "integer" && value.is_number_integer()) ||
           (type == "number" && value.is_number()) || (type == "array" && value.is_array()) ||
           (type == "object" && value.is_object());
}

// Where a value is not what the schema says; "" when all of it is. As much of JSON Schema as
// outputSchema uses.
inline std::string mismatch(const Json& value, const Json& schema, const std::string& at = "$") {
    const Json types = schema["type"].is_array() ? schema["type"] : Json::array({schema["type"]});
    if (std::ranges::none_of(
            types, [&](const Json& type) { return has_type(value, type.get<std::string>()); }))
        return at + " is " + value.dump();
    if (schema.contains("enum") && std::ranges::find(schema["enum"], value) == schema["enum"].end())
        return at + " is none of the words: " + value.dump();
    if (value.is_array() && schema.contains("items"))
        for (const Json& element : value)
            if (auto wrong = mismatch(element, schema["items"], at + "[]"); !wrong.empty())
                return wrong;
    if (!value.is_object()) return "";
    for (const Json& name : schema.value("required", Json::array()))
        if (!value.contains(name.get<std::string>())) return at + " has no " + name.dump();
    if (!schema.contains("properties")) return "";
    for (const auto& [name, inner] : value.items()) {
        if (!schema["properties"].contains(name)) return at + " has an unknown " + name;
        if (auto wrong = mismatch(inner, schema["properties"][name], at + "." + name);
            !wrong.empty())
            return wrong;
    }
    return "";
}

}  // namespace husk::contract
