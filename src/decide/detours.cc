#include "decide/detours.h"

#include <algorithm>
#include <array>

#include "base/names.h"
#include "decide/arguments.h"
#include "parse/letters.h"
#include "parse/variables.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Word;

// http_proxy=x as a word; an empty value is no proxy.
bool assigns_proxy(const Word& word) {
    const std::string start = word.known_start();
    const size_t equals = start.find('=');
    if (equals == std::string::npos || !names_proxy(start.substr(0, equals))) return false;
    return !word.known() || equals + 1 < start.size();
}

bool assigns_proxy(const Command& command) {
    return std::ranges::any_of(command.assignments, [](const parse::Assignment& assignment) {
        return names_proxy(assignment.name) && !assignment.value.is("");
    });
}

bool leads_away(const Arguments& arguments, std::string_view letters) {
    return std::ranges::any_of(arguments.options, [&](const Option& option) {
        if (option.name == "o") {
            const std::string text = option.value ? parse::lowered(option.value->shown()) : "";
            return (option.value && !option.value->known()) ||
                   std::ranges::any_of(
                       std::array{"proxy", "hostname", "include", "controlpath"},
                       [&](std::string_view setting) { return text.contains(setting); });
        }
        return letters.contains(option.name);
    });
}

}  // namespace

bool names_proxy(std::string_view variable) {
    const std::string name = parse::lowered(variable);
    if (is_one_of(variable, "CURL_HOME WGETRC SYSTEM_WGETRC")) return true;
    return name.ends_with("_proxy") && name != "no_proxy";
}

bool sets_proxy(const Command& command) {
    if (assigns_proxy(command)) return true;
    return std::ranges::any_of(parse::variables_set_by(command), [](const parse::SetVariable& set) {
        if (set.is_gone) return false;
        if (set.name.empty()) return true;
        return names_proxy(set.name) && (set.word == nullptr || assigns_proxy(*set.word));
    });
}

bool may_have_proxy(const Scene& scene) {
    if (scene.survey.sets_proxy()) return true;
    const auto& commands = scene.script.commands;
    for (size_t at = scene.index; at < commands.size(); at = commands[at].carrier) {
        if (assigns_proxy(commands[at])) return true;
        // env http_proxy=x curl
        const auto words = arguments_of(commands[at]);
        const bool is_carrier = at != scene.index;
        if (is_carrier &&
            std::ranges::any_of(words, [](const Word& word) { return assigns_proxy(word); }))
            return true;
    }
    return false;
}

bool leads_ssh_away(std::span<const Word> arguments) {
    return leads_away(read_arguments(arguments, {"BbcDEeFIiJLlmOopQRSWw"}), "FJSW");
}

bool leads_scp_away(std::span<const Word> arguments) {
    return leads_away(read_arguments(arguments, {"cDFiJloPSX"}), "FJSD");
}

}  // namespace husk::decide
