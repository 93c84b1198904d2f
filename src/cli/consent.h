// Deciding before running, as `husk check` and `husk run` share it.
#pragma once

#include <husk/report.h>
#include <husk/request.h>

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "cli/complaints.h"
#include "record/entry.h"

namespace husk::cli {

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
