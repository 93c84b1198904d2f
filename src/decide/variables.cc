#include "decide/variables.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "parse/letters.h"
#include "parse/variables.h"

namespace husk::decide {
namespace {

bool is_variable(std::string_view name) {
    return !name.empty() && parse::is_name_start(name.front()) &&
           std::ranges::all_of(name, parse::is_name_letter);
}

}  // namespace

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

std::vector<Definitions> definitions_of(
    const std::map<std::string, std::optional<std::string>>& variables) {
    constexpr std::string_view start = "BASH_FUNC_";
    constexpr std::string_view end = "%%";
    std::string assignments;
    std::vector<Definitions> definitions;
    for (const auto& [name, value] : variables) {
        if (!value) continue;
        if (name.starts_with(start) && name.ends_with(end) &&
            name.size() > start.size() + end.size())
            definitions.push_back(
                {Definitions::Kind::Function,
                 name.substr(start.size(), name.size() - start.size() - end.size()) + " " + *value +
                     "\n"});
        else if (is_variable(name))
            assignments += name + "=" + text::quote(*value) + "\n";
    }
    if (!assignments.empty())
        definitions.insert(definitions.begin(),
                           {Definitions::Kind::Assignments, std::move(assignments)});
    return definitions;
}

}  // namespace husk::decide
