// The threat rules. Each stands for a pack of checks and for the signs of the same name, and tells
// what they have found. Checks refuse a command; signs are only told.
#include <algorithm>
#include <array>
#include <set>

#include "base/utf8.h"
#include "contract/docware.h"

namespace husk::contract {
namespace {

using decide::Finding;
using decide::Severity;

struct ThreatRule {
    std::string_view id;
    std::string_view pack;
    std::string_view type;
    Severity severity;
    double confidence;
    std::string_view description;  // before the reason
    std::array<std::string_view, 2> mitigations;
};

constexpr std::array rules = {
    ThreatRule{
        "code_injection_detection",
        "injection",
        "code_injection",
        Severity::High,
        0.8,
        "Potential code injection detected: ",
        {"Write out the code that is to be run", "Download to a file, read it, then run the file"}},
    ThreatRule{"privilege_escalation_detection",
               "escalation",
               "privilege_escalation",
               Severity::Critical,
               0.9,
               "Privilege escalation attempt detected: ",
               {"Do it without more rights", "Ask the user to do the step that needs them"}},
    ThreatRule{"data_exfiltration_detection",
               "exfiltration",
               "data_exfiltration",
               Severity::High,
               0.7,
               "Potential data exfiltration detected: ",
               {"Keep files and secrets on this machine", "Ask the user to send what is meant"}},
};

const ThreatRule* rule_of_pack(std::string_view pack) {
    const auto* rule = std::ranges::find(rules, pack, &ThreatRule::pack);
    return rule == rules.end() ? nullptr : rule;
}

// chmod 777 is a matter of administration, and gives others rights.
const ThreatRule* rule_for(const Finding& finding) {
    const bool gives_rights = finding.check == "administration/open-to-all";
    return rule_of_pack(gives_rights ? "escalation" : finding.pack);
}

Json threat_json(const ThreatRule& rule, const Finding& finding) {
    Json mitigations = Json::array();
    if (!finding.instead.empty()) mitigations.push_back(finding.instead);
    for (const std::string_view mitigation : rule.mitigations) mitigations.push_back(mitigation);
    return {{"ruleId", rule.id},
            {"threatType", rule.type},
            {"severity", decide::word(rule.severity)},
            {"confidence", rule.confidence},
            {"description", std::string(rule.description) + text::to_utf8(finding.reason)},
            {"evidence", {{"pattern", finding.check}, {"match", text::to_utf8(finding.evidence)}}},
            {"mitigationSuggestions", std::move(mitigations)}};
}

std::string_view action_for(Severity severity) {
    switch (severity) {
        case Severity::Low: return "allow";
        case Severity::Medium: return "monitor";
        case Severity::High: return "require_confirmation";
        case Severity::Critical: break;
    }
    return "block";
}

Severity severity_named(std::string_view name) {
    using enum Severity;
    for (const Severity one : {Medium, High, Critical})
        if (decide::word(one) == name) return one;
    return Low;
}

}  // namespace

bool is_threat(const Finding& finding) { return rule_of_pack(finding.pack) != nullptr; }

Json threat_analysis(const std::vector<Finding>& findings, const std::vector<Finding>& signs) {
    Json threats = Json::array();
    Severity overall = Severity::Low;
    std::set<std::pair<size_t, const ThreatRule*>> told;  // a sign adds nothing to a finding
    const auto add = [&](const Finding& finding) {
        const ThreatRule* rule = rule_for(finding);
        if (rule == nullptr) return;
        told.emplace(finding.command, rule);
        overall = std::max(overall, rule->severity);
        threats.push_back(threat_json(*rule, finding));
    };
    for (const Finding& finding : findings) add(finding);
    for (const Finding& sign : signs)
        if (!told.contains({sign.command, rule_for(sign)})) add(sign);
    const bool detected = !threats.empty();
    return {{"threatsDetected", detected},
            {"threats", std::move(threats)},
            {"overallRiskLevel", decide::word(overall)},
            {"recommendedAction", action_for(overall)}};
}

void agree_with(Json& analysis, std::string_view risk, bool refused) {
    const Severity own = severity_named(analysis["overallRiskLevel"].get<std::string>());
    const Severity overall = std::max(own, severity_named(risk));
    analysis["overallRiskLevel"] = decide::word(overall);
    const bool lets_pass = overall < Severity::High;
    analysis["recommendedAction"] = refused && lets_pass ? "block" : action_for(overall);
}

}  // namespace husk::contract
