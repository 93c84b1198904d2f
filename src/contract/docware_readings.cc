// A call as the checks read it: its text, and its text with the variables of `env`.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "contract/docware.h"
#include "decide/signs.h"
#include "decide/survey.h"
#include "decide/values.h"
#include "decide/variables.h"
#include "request/withheld_variables.h"

namespace husk::contract {
namespace {

using decide::Finding;
using parse::Command;

// The number that the command has in the text of the call.
size_t number_in_text(size_t command, size_t definitions) {
    return command < definitions ? Command::none : command - definitions;
}

using Secrets = std::map<std::string, std::string>;

std::string without_secrets(std::string text, const Secrets& secrets) {
    for (const auto& [name, value] : secrets)
        for (size_t at = 0; (at = text.find(value, at)) != std::string::npos; at += name.size())
            text.replace(at, value.size(), "$" + name);
    return text;
}

// `sudo -n true` for `$FOO -n true`. The program is always shown. Redirections are left out,
// because only words are filled in.
std::string text_of_words(const Command& command, const Secrets& secrets) {
    std::string text;
    for (const parse::Assignment& assignment : command.assignments)
        text += assignment.name + (assignment.appends ? "+=" : "=") +
                without_secrets(assignment.value.shown(), secrets) + " ";
    for (const parse::Word& word : command.words) {
        const bool is_program = &word == &command.words.front();
        text += (is_program ? word.shown() : without_secrets(word.shown(), secrets)) + " ";
    }
    if (!text.empty()) text.pop_back();
    return text;
}

bool has_other_words(const Command& one, const Command& other) {
    return !std::ranges::equal(one.words, other.words, {}, &parse::Word::shown,
                               &parse::Word::shown);
}

// A finding about a command whose words come from variables names the command that would run. The
// evidence of a check is the text of its command, or already a filled in part of it.
void show_values(Finding& finding, const Command& written, const Command& filled_in,
                 const Secrets& secrets) {
    if (finding.evidence != written.text || !has_other_words(written, filled_in)) return;
    const size_t at = finding.reason.rfind(written.text);
    finding.evidence = text_of_words(filled_in, secrets);
    if (at != std::string::npos) finding.reason.replace(at, written.text.size(), finding.evidence);
}

template <class Find>
std::vector<Finding> in_all(const Readings& readings, Find find) {
    std::vector<Finding> found = find(readings.text);
    // The same with the text of the command as it is written, to tell which are the same.
    std::vector<Finding> as_written = found;
    for (const auto& [script, definitions, kind] : readings.with_variables) {
        const decide::Survey survey(script);
        const decide::Values values(script, survey);
        for (Finding& finding : find(script)) {
            const size_t index = finding.command;
            finding.command = number_in_text(index, definitions);
            const auto same = std::ranges::find(as_written, finding);
            const auto at = same - as_written.begin();
            if (same == as_written.end()) {
                as_written.push_back(finding);
                found.push_back(std::move(finding));
            }
            if (index < script.commands.size())
                show_values(found[static_cast<size_t>(at)], script.commands[index],
                            values.filled_in(index), readings.secrets);
        }
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
    constexpr size_t shortest_secret = 6;  // a shorter value can be a part of any word
    for (const auto& [name, value] : call.env)
        if (value && value->size() >= shortest_secret && is_withheld(name, *value))
            readings.secrets.emplace(name, *value);
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
