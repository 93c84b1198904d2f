// For tests: what a script runs, as a listing. A line for each command, two spaces for each
// carrier, then a letter for how it comes to be run (s in the script, $ substitution, w wrapper, c
// code, r remote) and its words, with ? before those that are not known.
#pragma once

#include <string>

#include "parse/script.h"

namespace husk::parse {

inline std::string listing(const std::string& text) {
    const Script script = parse(text);
    std::string result;
    for (const Command& command : script.commands) {
        result += std::string(2 * command.depth, ' ') + "s$wcr"[static_cast<size_t>(command.via)];
        for (const Assignment& assignment : command.assignments)
            result += " " + assignment.name + "=" + assignment.value.shown();
        for (const Word& word : command.words)
            result += std::string(" ") + (word.known() ? "" : "?") + word.shown();
        for (const Redirect& redirect : command.redirects)
            result += " <" + std::to_string(redirect.descriptor) + ">";
        result += command.opaque.empty() ? "\n" : " ...\n";
    }
    for (const std::string& reason : script.not_understood) result += "not: " + reason + "\n";
    if (script.error) result += "error: " + script.error->message + "\n";
    return result;
}

struct Row {
    const char* text;
    const char* commands;
};

}  // namespace husk::parse
