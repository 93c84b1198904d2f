// Deciding before running, as `husk check` and `husk run` share it.
#pragma once

#include <husk/report.h>
#include <husk/request.h>

#include <expected>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/entry.h"
#include "request/rules_file.h"
#include "tool/configuration.h"

namespace husk::cli {

// Each on a line of standard error, "husk: FILE:LINE: ...". Returns husk_failed.
int fail(const std::vector<Complaint>& complaints);

// What does not count of the file beside the work, and rules that refuse nothing, each on a line of
// standard error.
void tell_ignored(const tool::Configuration& configuration);
void tell_dead_rules(const RuleTexts& rules);

// The variables that a call sets itself: those of --env.
std::map<std::string, std::optional<std::string>> given_variables(const config::Settings& flags);

struct Consent {
    Verdict verdict;
    std::optional<Denied> denied;    // then nothing may be started
    std::vector<std::string> notes;  // for the report
    // For the audit:
    std::vector<std::string> programs = {};
    std::optional<audit::Approval> approval = {};
};

// Whether the call may be started, by the configuration or by a person: who sits at the terminal is
// asked where a rule says so. The variables of `call` are those that the call itself sets.
// Complaints are about the configuration.
std::expected<Consent, std::vector<Complaint>> ask_for_consent(
    const Request& call, const tool::Configuration& configuration);

}  // namespace husk::cli
