// Deciding before running, as `husk check` and `husk run` share it.
#pragma once

#include <husk/report.h>

#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "decide/context.h"
#include "record/entry.h"
#include "request/rules_file.h"
#include "tool/configuration.h"

namespace husk::cli {

// Each on a line of standard error, "husk: FILE:LINE: ...". Returns husk_failed.
int fail(const std::vector<Complaint>& complaints);

// What a command finds there. `home` overrides what this process has.
decide::Context context_in(const std::filesystem::path& working_dir,
                           const std::optional<std::string>& home = std::nullopt);

// One line about entries of a file that do not count, because it comes with every call.
std::vector<std::string> notes_on(const std::vector<Complaint>& ignored);
// What does not count of the file beside the work, and rules that refuse nothing, each on a line of
// standard error.
void tell_ignored(const tool::Configuration& configuration);
void tell_dead_rules(const RuleTexts& rules);

struct Consent {
    Verdict verdict;
    std::optional<Denied> denied;    // then nothing may be started
    std::vector<std::string> notes;  // for the report
    // For the audit:
    std::vector<std::string> programs = {};
    std::optional<audit::Approval> approval = {};
};

// Whether the command may be started, by the configuration or by a person: who sits at the
// terminal is asked where a rule says so. Complaints are about the configuration.
std::expected<Consent, std::vector<Complaint>> ask_for_consent(
    const std::string& command, const tool::Configuration& configuration,
    const decide::Context& context);

}  // namespace husk::cli
