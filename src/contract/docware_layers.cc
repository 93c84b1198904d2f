// The five layers of checks: the first that finds something gives the reason. They guide an agent;
// what a command can touch is decided by the walls.
#include <algorithm>
#include <array>
#include <filesystem>

#include "base/names.h"
#include "base/text.h"
#include "base/utf8.h"
#include "contract/docware.h"
#include "decide/variables.h"

namespace husk::contract {
namespace {

using decide::Finding;
using parse::Command;

// ---- the first: commands that are on the list

// An entry is a program's name, or its path, or several words that a command has to begin with.
// What is found by PATH is meant by a name; a file of that name anywhere is not.
bool begins_with(const Command& command, const std::string& entry) {
    const parse::Script wanted = parse::parse(entry);
    if (wanted.commands.size() != 1 || wanted.commands[0].words.empty()) return false;
    const std::vector<parse::Word>& words = wanted.commands[0].words;
    if (words.size() > command.words.size()) return false;
    const auto program = command.words[0].value();
    if (!program) return false;
    const std::filesystem::path path(*program);
    const bool usual_place =
        husk::is_one_of(path.parent_path().string(),
                        "/bin /usr/bin /usr/local/bin /sbin /usr/sbin /usr/local/sbin");
    const bool same =
        words[0].is(*program) || (usual_place && words[0].is(path.filename().string()));
    return same && std::ranges::equal(std::span(words).subspan(1),
                                      std::span(command.words).subspan(1, words.size() - 1),
                                      [](const parse::Word& one, const parse::Word& other) {
                                          return one.known() && other.is(*one.value());
                                      });
}

// What it runs is not what its name says, or not only that.
bool is_disguised(const Command& command) {
    return !command.opaque.empty() || decide::sets_what_runs(command);
}

LayerCheck check_whitelist(const DocwareCall& call, const AllowedList& allowed,
                           const parse::Script& script) {
    LayerCheck check{.type = "command_whitelist", .details = "No whitelist is given"};
    if (!allowed) return check;
    const auto fail = [&](const std::string& command) {
        check.passed = false;
        check.details = "Not in the whitelist: " + command;
        check.more = {{"command", text::to_utf8(command)}};
        return check;
    };
    // Not even an assignment or a redirection without a command.
    if (allowed->empty() || !script.understood()) return fail(call.line);
    for (const auto& [name, value] : call.env)
        if (decide::decides_what_runs({.name = name, .value = {}, .range = {}}))
            return fail(value ? name + "=" + *value : "unset " + name);
    for (const Command& command : script.commands) {
        const bool listed = std::ranges::any_of(*allowed, [&](const std::string& entry) {
            return !command.words.empty() && begins_with(command, entry);
        });
        if (is_disguised(command) || (!command.words.empty() && !listed)) return fail(command.text);
    }
    check.details = "Every command is in the whitelist";
    return check;
}

// ---- the fifth: what is asked for

LayerCheck check_resources(const DocwareCall& call, const DocwareSettings& settings) {
    const std::array<std::pair<const char*, uint64_t>, 3> most = {
        {{"max_memory", settings.max_memory},
         {"max_cpu_usage", settings.max_cpu_usage},
         {"max_output_size", settings.max_output_size}}};
    for (const auto& [name, limit] : most) {
        const auto asked = schema::integer_of(call.resources, name);
        if (!asked || static_cast<uint64_t>(*asked) <= limit) continue;
        return {.type = "resource_access",
                .details = std::string(name) + " " + std::to_string(*asked) + " > " +
                           std::to_string(limit),
                .passed = false,
                .more = {{"resource", name}, {"requested", *asked}, {"limit", limit}}};
    }
    return {.type = "resource_access", .details = "All resources are within the limits"};
}

// ---- all of them

struct Layer {
    std::string_view blocked_by;
    std::string_view risk;
    std::string_view reason;
    // A person may want a dangerous command, or code from a variable; a list is a list.
    enum class Confirmation : uint8_t { Possible, Impossible } confirmation;
    enum class Details : uint8_t { Told, LeftOut } details = Details::Told;
};

using enum Layer::Confirmation;
using enum Validation::Outcome;

constexpr Layer whitelist = {"whitelist_check", "high", "Command not in whitelist", Impossible,
                             Layer::Details::LeftOut};
constexpr Layer dangers = {"dangerous_ops_check", "critical",
                           "Dangerous operation detected: ", Possible};
constexpr Layer paths = {"path_security_check", "medium", "Path access violation: ", Impossible};
constexpr Layer injection = {"injection_check", "high", "Injection attempt detected: ", Possible};
constexpr Layer nul_byte = {"injection_check", "high", "Injection attempt detected: ", Impossible};
constexpr Layer resources = {"resource_access_check", "medium",
                             "Resource access violation: ", Impossible};

// The argument that has a NUL byte; empty if none has.
std::string argument_with_nul(const DocwareCall& call) {
    const auto has_nul = [](const std::string& text) { return text.contains('\0'); };
    if (has_nul(call.command)) return "command";
    if (std::ranges::any_of(call.args, has_nul)) return "args";
    if (has_nul(call.working_dir)) return "cwd";
    const bool in_env = std::ranges::any_of(call.env, [&](const auto& variable) {
        return has_nul(variable.first) || (variable.second && has_nul(*variable.second));
    });
    return in_env ? "env" : "";
}

// The check for the list of the call and the one for that of the configuration, as far as they are
// given: the first that fails.
template <class Check>
LayerCheck with_both(const AllowedList& calls, const AllowedList& configured, Check check) {
    if (!calls && configured) return check(configured);
    LayerCheck first = check(calls);
    return first.passed && configured ? check(configured) : first;
}

// Somebody who is asked has to see all that was found. What refuses counts alone.
void note_failure(Validation& validation, const Layer& layer, const LayerCheck& check,
                  Validation::Outcome outcome) {
    std::string said(layer.reason);
    if (layer.details == Layer::Details::Told) said += check.details;
    std::vector<std::string> names = {std::string(layer.blocked_by)};
    if (check.more.contains("id")) names.push_back(check.more["id"].get<std::string>());
    const bool adds = validation.outcome == Asked && outcome == Asked;
    const auto at = adds ? validation.blocked.end() : validation.blocked.begin();
    validation.blocked.insert(at, names.begin(), names.end());
    validation.outcome = outcome;
    if (adds) {
        if (validation.reason.ends_with('.')) validation.reason.pop_back();
        validation.reason += "; " + said;
        return;
    }
    validation.blocked_by = layer.blocked_by;
    validation.risk = layer.risk;
    validation.reason = std::move(said);
}

// False when it ends here.
bool add(Validation& validation, const DocwareCall& call, const Layer& layer, LayerCheck check) {
    const bool asks = call.confirmable && layer.confirmation == Possible;
    if (!check.passed) note_failure(validation, layer, check, asks ? Asked : Refused);
    validation.checks.push_back(std::move(check));
    return validation.outcome != Refused;
}

}  // namespace

std::optional<Validation> refusal_of_nul(const DocwareCall& call) {
    const std::string argument = argument_with_nul(call);
    if (argument.empty()) return std::nullopt;
    Validation validation;
    add(validation, call, nul_byte,
        {.type = "injection",
         .details = "a NUL byte would end the text that it stands in: `" + argument + "`",
         .passed = false,
         .more = {{"id", "injection/nul"}, {"severity", "high"}, {"confidence", 1.0}}});
    return validation;
}

Validation validate(const DocwareCall& call, const Readings& readings,
                    const std::vector<Finding>& findings, const DocwareSettings& settings) {
    const auto check_commands = [&](const AllowedList& list) {
        return check_whitelist(call, list, readings.text);
    };
    const auto check_files = [&](const AllowedList& list) {
        return check_paths(call, list, readings);
    };
    Validation validation;
    const auto goes_on = [&](const Layer& layer, LayerCheck check) {
        return add(validation, call, layer, std::move(check));
    };
    const bool all =
        goes_on(whitelist, with_both(call.whitelist, settings.command_whitelist, check_commands)) &&
        goes_on(dangers, check_dangers(call, findings, settings)) &&
        goes_on(paths, with_both(call.allowed_paths, settings.allowed_paths, check_files)) &&
        goes_on(injection, check_injection(call, findings, settings)) &&
        goes_on(resources, check_resources(call, settings));
    if (all && validation.outcome == Passed) validation.reason = "All security checks passed";
    return validation;
}

Json validation_json(const Validation& validation) {
    Json results = Json::array();
    for (const LayerCheck& check : validation.checks) {
        Json one = {{"passed", check.passed},
                    {"checkType", check.type},
                    {"details", text::to_utf8(check.details)}};
        one.update(check.more);
        results.push_back(std::move(one));
    }
    Json json = {{"allowed", validation.outcome == Passed},
                 {"reason", text::to_utf8(validation.reason)}};
    if (!validation.blocked_by.empty()) json["blockedBy"] = validation.blocked_by;
    json["riskLevel"] = validation.risk;
    json["validationResults"] = std::move(results);
    return json;
}

}  // namespace husk::contract
