// The second and the fourth layer: what the packs of checks and the variables of `env` give away.
#include <algorithm>
#include <utility>

#include "base/names.h"
#include "base/text.h"
#include "base/utf8.h"
#include "contract/docware.h"

namespace husk::contract {
namespace {

using decide::Finding;
using decide::Severity;

// Code that comes in by an argument or a variable. A download that is run is dangerous by itself,
// so it belongs to the second layer.
bool is_injection(const Finding& finding) {
    return finding.pack == "injection" && finding.check != "injection/download";
}

bool refuses(SecurityLevel level, Severity severity) {
    switch (level) {
        case SecurityLevel::None: return false;
        case SecurityLevel::Low: return severity >= Severity::Critical;
        case SecurityLevel::Medium: return severity >= Severity::High;
        case SecurityLevel::High: break;
    }
    return true;
}

// Variables of the call that make programs load code.
std::vector<Finding> loaded_by_environment(const DocwareCall& call) {
    std::vector<Finding> found;
    for (const auto& [name, value] : call.env) {
        const bool loads = husk::is_one_of(name, "BASH_ENV ENV PROMPT_COMMAND SHELLOPTS PS4") ||
                           name.starts_with("LD_") || name.starts_with("BASH_FUNC_");
        if (!value || !loads) continue;
        found.push_back({.command = parse::Command::none,
                         .pack = "injection",
                         .check = "injection/environment",
                         .severity = Severity::High,
                         .confidence = 1.0,
                         .reason = name + " makes programs run code that is not their own",
                         .evidence = name});
    }
    return found;
}

std::string said_of(const Finding& finding) { return finding.check + ": " + finding.reason; }

// Each text once, the worst findings first. A person can read so many; the others are counted.
std::string all_said(const std::vector<Finding>& worst_first) {
    constexpr size_t most = 12;
    std::vector<std::string> said;
    for (const Finding& finding : worst_first) {
        std::string one = said_of(finding);
        if (one.ends_with('.')) one.pop_back();
        if (std::ranges::find(said, one) == said.end()) said.push_back(std::move(one));
    }
    const size_t more = said.size() - std::min(said.size(), most);
    said.resize(said.size() - more);
    if (more > 0) said.push_back("and " + std::to_string(more) + " more");
    return text::join(said, "; ");
}

// The worst finding gives the id. A person who is asked sees every finding that refuses.
LayerCheck judged(LayerCheck check, const DocwareCall& call, std::vector<Finding> findings,
                  SecurityLevel level) {
    if (findings.empty()) return check;
    std::ranges::stable_sort(findings, std::greater{}, &Finding::severity);
    const Finding& worst = findings.front();
    check.more = {{"id", worst.check},
                  {"severity", decide::word(worst.severity)},
                  {"confidence", worst.confidence},
                  {"matchedPattern", worst.check},
                  {"evidence", text::to_utf8(worst.evidence)}};
    check.details = said_of(worst);
    check.passed = !refuses(level, worst.severity);
    if (check.passed) {
        check.details = "Not refused at this security level: " + check.details;
        return check;
    }
    std::erase_if(findings, [&](const Finding& one) { return !refuses(level, one.severity); });
    if (call.confirmable && findings.size() > 1) check.details = all_said(findings);
    return check;
}

// Those of one layer that the configuration does not leave to the threat rules.
void add_counted(std::vector<Finding>& counted, const std::vector<Finding>& findings,
                 const DocwareSettings& settings, bool (*belongs)(const Finding&)) {
    std::ranges::copy_if(findings, std::back_inserter(counted), [&](const Finding& finding) {
        return belongs(finding) && (settings.blocks_threats || !is_threat(finding));
    });
}

}  // namespace

LayerCheck check_dangers(const DocwareCall& call, const std::vector<Finding>& findings,
                         const DocwareSettings& settings) {
    std::vector<Finding> counted;
    add_counted(counted, findings, settings,
                [](const Finding& finding) { return !is_injection(finding); });
    return judged({.type = "dangerous_operations", .details = "No dangerous operations detected"},
                  call, std::move(counted), settings.security_level);
}

LayerCheck check_injection(const DocwareCall& call, const std::vector<Finding>& findings,
                           const DocwareSettings& settings) {
    std::vector<Finding> counted = loaded_by_environment(call);
    add_counted(counted, findings, settings, is_injection);
    return judged({.type = "injection", .details = "No injection attempts detected"}, call,
                  std::move(counted), settings.security_level);
}

}  // namespace husk::contract
