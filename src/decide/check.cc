#include "decide/check.h"

#include <array>
#include <utility>

#include "decide/values.h"
#include "decide/working_directory.h"

namespace husk::decide {
namespace {

using parse::Script;

std::string filled(std::string_view reason, const std::string& evidence) {
    std::string out(reason);
    if (const size_t at = out.find("{}"); at != std::string::npos) out.replace(at, 2, evidence);
    return out;
}

void add_findings(std::vector<Finding>& found, const Pack& pack, const Scene& scene) {
    for (const Check& check : pack.checks) {
        const auto evidence = check.evidence(scene);
        if (!evidence) continue;
        found.push_back({.command = scene.index,
                         .pack = std::string(pack.name),
                         .check = std::string(check.id),
                         .decision = check.decision,
                         .severity = check.severity,
                         .confidence = check.confidence,
                         .reason = filled(check.reason, *evidence),
                         .instead = std::string(check.instead),
                         .evidence = *evidence});
    }
}

}  // namespace

std::span<const Pack* const> all_packs() {
    // The first that denies gives the reason: those that know most about a program stand first.
    static constexpr std::array packs = {
        &git_pack,        &rm_pack,           &destroyers_pack, &system_pack,
        &escalation_pack, &exfiltration_pack, &injection_pack,  &administration_pack};
    return packs;
}

std::vector<Finding> findings(const Script& script, const std::set<std::string>& packs,
                              const Context& context) {
    std::vector<const Pack*> wanted;
    for (const Pack* pack : all_packs())
        if (packs.contains(std::string(pack->name))) wanted.push_back(pack);
    return findings(script, wanted, context);
}

std::vector<Finding> findings(const Script& script, std::span<const Pack* const> packs,
                              const Context& context) {
    std::vector<Finding> found;
    const Survey survey(script);
    const Values values(script, survey);
    Context here = context;
    for (size_t i = 0; i < script.commands.size(); ++i) {
        const Scene scene{script, survey, i, values.filled_in(i), context_inside(script, i, here)};
        for (const Pack* pack : packs) add_findings(found, *pack, scene);
        here = context_after(scene.command, std::move(here));
    }
    return found;
}

}  // namespace husk::decide
