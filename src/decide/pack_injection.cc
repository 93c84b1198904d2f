// Against running code that nobody could read beforehand.
#include <algorithm>
#include <array>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/code.h"
#include "decide/network.h"
#include "parse/variables.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Piece;
using parse::Word;

constexpr double likely = 0.8;

bool decodes(const Command& command) {
    const std::string program = command.program();
    const Arguments arguments = read_arguments(arguments_of(command));
    if (is_one_of(program, "base64 base32 basenc"))
        return arguments.has("d") || arguments.has("D") || arguments.has("decode", 1);
    if (program == "xxd") return arguments.has("r") || arguments.has("ps");
    if (program == "openssl")
        return std::ranges::any_of(command.words, [](const Word& word) { return word.is("-d"); });
    return is_one_of(program, "uudecode rev");
}

std::optional<std::string> download_run(const Scene& scene) {
    return code_comes_from(scene, downloads);
}

std::optional<std::string> decoded_run(const Scene& scene) {
    return code_comes_from(scene, decodes);
}

// "$x" begins with an empty text, which is quoted.
bool is_all_variable(const Word& code) {
    return code.known_start().empty() && !code.known() &&
           std::ranges::all_of(code.pieces, [](const Piece& piece) {
               return piece.kind == Piece::Kind::Variable || piece.text.empty();
           });
}

// eval "$x", bash -c "$x", bash <<< "$x": all of the code is a variable.
std::optional<std::string> code_in_variable(const Scene& scene) {
    if (const Word* code = code_argument(scene.command))
        return found_if(is_all_variable(*code), code->shown());
    if (!runs_standard_input(scene.command)) return std::nullopt;
    for (const parse::Redirect& redirect : scene.command.redirects)
        if (redirect.kind == parse::Redirect::Kind::HereString && is_all_variable(redirect.target))
            return redirect.target.shown();
    return std::nullopt;
}

// `export x`, `declare -x x`: programs get the value that the variable has by then.
std::vector<std::string> exported_names(const Command& command) {
    if (!is_one_of(command.program(), "export declare typeset local readonly")) return {};
    const Arguments arguments = read_arguments(arguments_of(command));
    std::vector<std::string> names;
    for (const Word& word : arguments.operands) names.push_back(word.shown());
    if (arguments.has("n") && command.program() == "export") names.clear();
    return names;
}

// Every variable that the command sets or exports.
std::vector<std::string> variables_given(const Command& command) {
    std::vector<std::string> names = exported_names(command);
    for (const parse::Assignment& assignment : command.assignments)
        names.push_back(assignment.name);
    for (const parse::SetVariable& set : parse::variables_set_by(command))
        if (!set.is_gone) names.push_back(set.name);
    return names;
}

std::optional<std::string> preloaded_code(const Scene& scene) {
    for (const std::string& name : variables_given(scene.command))
        if (is_one_of(name, "LD_PRELOAD LD_AUDIT BASH_ENV PROMPT_COMMAND")) return name;
    return std::nullopt;
}

constexpr std::array checks = {
    Check{"injection/download", Decision::Deny, Severity::High, likely,
          "This runs a download that nobody has looked at ({}).",
          "Download it to a file, read it, then run it.", download_run},
    Check{"injection/decoded", Decision::Deny, Severity::High, likely,
          "This runs code that was made unreadable ({}).", "Write the commands themselves.",
          decoded_run},
    Check{"injection/variable", Decision::Ask, Severity::High, likely,
          "The code that this runs is the value of {}, which is not known before.",
          "Write the command itself, with the variable as one of its arguments.", code_in_variable},
    Check{"injection/preload", Decision::Ask, Severity::High, likely,
          "{} makes every program load code that is not its own.", "", preloaded_code},
};

}  // namespace

constinit const Pack injection_pack = {
    .name = "injection",
    .about = "running code that nobody could read beforehand",
    .on_by_default = false,
    .checks = checks,
};

}  // namespace husk::decide
