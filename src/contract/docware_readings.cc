// A call as the checks read it: its text, and its text with the variables of `env`.
#include <algorithm>
#include <utility>

#include "contract/docware.h"
#include "decide/signs.h"
#include "decide/variables.h"

namespace husk::contract {
namespace {

using decide::Finding;
using parse::Command;

// The number that the command has in the text of the call.
size_t number_in_text(size_t command, size_t definitions) {
    return command < definitions ? Command::none : command - definitions;
}

template <class Find>
std::vector<Finding> in_all(const Readings& readings, Find find) {
    std::vector<Finding> found = find(readings.text);
    for (const auto& [script, definitions, kind] : readings.with_variables)
        for (Finding& finding : find(script)) {
            finding.command = number_in_text(finding.command, definitions);
            if (std::ranges::find(found, finding) == found.end())
                found.push_back(std::move(finding));
        }
    return found;
}

}  // namespace

// The contract sets HOME to the working directory. Without HOME, bash takes the one of the account.
std::string home_of(const DocwareCall& call) {
    const auto set = call.env.find("HOME");
    if (set == call.env.end()) return call.working_dir;
    std::string home = set->second.value_or("");
    return home.starts_with('/') ? home : "";
}

Readings read_call(const DocwareCall& call) {
    Readings readings{.text = parse::parse(call.line), .with_variables = {}};
    for (const auto& [kind, text] : decide::definitions_of(call.env))
        readings.with_variables.push_back({.script = parse::parse(text + call.line),
                                           .definitions = parse::parse(text).commands.size(),
                                           .kind = kind});
    return readings;
}

std::vector<Finding> findings_in(const Readings& readings, const std::set<std::string>& packs,
                                 const decide::Context& context) {
    return in_all(readings, [&](const parse::Script& script) {
        return decide::findings(script, packs, context);
    });
}

std::vector<Finding> signs_in(const Readings& readings, const decide::Context& context) {
    return in_all(readings,
                  [&](const parse::Script& script) { return decide::signs(script, context); });
}

}  // namespace husk::contract
