#include "cli/complaints.h"

#include "cli/terminal.h"

namespace husk::cli {

int fail(const std::vector<Complaint>& complaints) {
    for (const Complaint& complaint : complaints) {
        const std::string where = to_text(complaint.where);
        fail(where.empty() ? complaint.message : where + ": " + complaint.message);
    }
    return husk_failed;
}

void tell_ignored(const tool::Configuration& configuration) {
    for (const Complaint& ignored : configuration.ignored)
        fail(to_text(ignored.where) +
             ": does not count, because this file may only narrow: " + ignored.message);
}

void tell_dead_rules(const RuleTexts& rules) {
    for (const decide::Problem& problem : decide::dead_refusals(rules))
        fail(to_text(problem.where) + ": warning: " + problem.message);
}

std::map<std::string, std::optional<std::string>> given_variables(const config::Settings& flags) {
    std::map<std::string, std::optional<std::string>> given;
    for (const auto& [name, variable] : flags.variables)
        if (variable.origin.kind == config::Origin::Kind::Flag) given[name] = variable.value;
    return given;
}

}  // namespace husk::cli
