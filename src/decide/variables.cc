#include "decide/variables.h"

#include <algorithm>
#include <utility>

#include "parse/variables.h"

namespace husk::decide {

bool decides_what_runs(const parse::Assignment& assignment) {
    return parse::decides_what_runs(assignment.name);
}

bool sets_what_runs(const parse::Command& command) {
    if (std::ranges::any_of(command.assignments, [](const parse::Assignment& assignment) {
            return decides_what_runs(assignment);
        }))
        return true;
    const auto decides = [](const parse::SetVariable& set) {
        return set.name.empty() || parse::decides_what_runs(set.name);
    };
    return std::ranges::any_of(parse::variables_set_by(command), decides);
}

void set_before_all(parse::Script& script, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (!parse::decides_what_runs(name)) continue;
        for (parse::Command& command : script.commands) {
            parse::Assignment set;
            set.name = name;
            command.assignments.push_back(std::move(set));
        }
    }
}

}  // namespace husk::decide
