// Built-in checks, in packs that can be switched on and off by name.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decide/context.h"
#include "decide/survey.h"
#include "decide/verdict.h"
#include "parse/script.h"

namespace husk::decide {

// One command, as a check sees it.
struct Scene {
    const parse::Script& script;
    const Survey& survey;
    size_t index;            // in script.commands
    parse::Command command;  // that command, filled in
    Context context;         // its working directory is where `cd` has led
};

struct Check {
    std::string_view id;  // "rm/critical-target"
    Decision decision;
    Severity severity;
    double confidence;
    std::string_view reason;   // {} is the evidence
    std::string_view instead;  // a safer way, where there is one
    // The words that give it away, or none.
    std::optional<std::string> (*evidence)(const Scene& scene);
};

// For evidence: the text, if there is any.
inline std::optional<std::string> found_if(bool found, const std::string& text) {
    return found ? std::optional(text) : std::nullopt;
}

struct Pack {
    std::string_view name;
    std::string_view about;  // what it is against, in a few words
    bool on_by_default;
    std::span<const Check> checks;
};

// Each in a file of its own.
extern const Pack git_pack;
extern const Pack rm_pack;
extern const Pack system_pack;
extern const Pack administration_pack;
extern const Pack destroyers_pack;
extern const Pack escalation_pack;
extern const Pack exfiltration_pack;
extern const Pack injection_pack;

std::span<const Pack* const> all_packs();

// What a check found.
struct Finding {
    size_t command = 0;  // in Script::commands
    std::string pack = {};
    std::string check = {};  // its id
    Decision decision = Decision::Deny;
    Severity severity = Severity::Low;
    double confidence = 0;
    std::string reason = {};
    std::string instead = {};
    std::string evidence = {};
    bool operator==(const Finding&) const = default;
};

// All that the named packs have to say about a script, in the order of its commands.
std::vector<Finding> findings(const parse::Script& script, const std::set<std::string>& packs,
                              const Context& context);

// The same for packs that are at hand, whether or not they are in all_packs().
std::vector<Finding> findings(const parse::Script& script, std::span<const Pack* const> packs,
                              const Context& context);

}  // namespace husk::decide
