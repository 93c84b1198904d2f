// Commands that run a text as code: which text that is, and where it comes from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decide/check.h"
#include "decide/glob.h"
#include "decide/origin.h"

namespace husk::decide {

// The argument that the command runs as code: bash -c CODE, python -c CODE, node -e CODE. Null if
// there is none.
const parse::Word* code_argument(const parse::Command& command);

// Whether the command runs its standard input as code: `sh`, `bash -s -- x`, `python3 -`; not
// `python3 -m json.tool`.
bool runs_standard_input(const parse::Command& command);

// The words and documents that the command runs as code.
std::vector<parse::Word> code_of(const parse::Command& command);

// The command runs code that is the output of a command that satisfies the question. Returns the
// command's text.
template <class Question>
std::optional<std::string> code_comes_from(const Scene& scene, Question question) {
    if (runs_standard_input(scene.command) && is_piped_from(scene, question))
        return scene.command.text;
    for (const parse::Word& word : code_of(scene.command)) {
        // curl x | xargs bash -c
        const bool added = is_added_later(word) && is_piped_from(scene, question);
        if (added || comes_from(scene, word, question)) return scene.command.text;
    }
    return std::nullopt;
}

}  // namespace husk::decide
