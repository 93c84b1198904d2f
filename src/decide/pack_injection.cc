// Against running code that nobody could read beforehand.
#include <algorithm>
#include <array>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/glob.h"
#include "decide/network.h"
#include "decide/origin.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Piece;
using parse::Redirect;
using parse::Word;

constexpr double likely = 0.8;

constexpr std::string_view shells = "sh bash dash zsh ksh ash mksh fish";
constexpr std::string_view interpreters =
    "python python2 python3 perl ruby node nodejs deno bun php lua tclsh osascript pwsh Rscript";

bool is_interpreter(const std::string& program) {
    // python3.11 is python too.
    return is_one_of(program, interpreters) || program.starts_with("python3.");
}

bool runs_code(const std::string& program) {
    return is_one_of(program, shells) || is_interpreter(program);
}

// The text that it runs stands in an argument: bash -c CODE, python -c CODE, node -e CODE.
const Word* code_argument(const Command& command) {
    const std::string program = command.program();
    const auto words = arguments_of(command);
    if (program == "eval") return words.empty() ? nullptr : words.data();
    if (!runs_code(program)) return nullptr;
    const bool by_c = is_one_of(program, shells) || program.starts_with("python");
    for (size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string text = words[i].known_start();
        if (!text.starts_with('-')) return nullptr;
        const bool gives_code = text.starts_with("--")
                                    ? is_one_of(text, "--eval --command --execute --print")
                                    : text.ends_with(by_c               ? 'c'
                                                     : program == "php" ? 'r'
                                                                        : 'e');
        if (gives_code) return &words[i + 1];
    }
    return nullptr;
}

// It runs what comes in: `sh`, `bash -s -- x`, `python3 -`; not `python3 -m json.tool`.
bool runs_standard_input(const Command& command) {
    if (is_one_of(command.program(), "source .") && command.words.size() > 1)
        return command.words[1].is("/dev/stdin");
    if (!runs_code(command.program())) return false;
    for (const Word& word : arguments_of(command)) {
        const std::string text = word.known_start();
        if (word.is("-") || word.is("/dev/stdin")) return true;
        if (!text.starts_with('-')) return false;  // a script's name
        if (word.is("-s") || word.is("--")) return true;
        const bool gives_code = is_one_of(command.program(), shells)
                                    ? !text.starts_with("--") && text.contains('c')
                                    : text.find_first_of("cemrp") != std::string::npos;
        if (gives_code) return false;
    }
    return true;
}

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

// The words and documents that the command runs as code.
std::vector<Word> code_of(const Command& command) {
    std::vector<Word> code;
    const std::string program = command.program();
    if (program == "eval") {
        const auto words = arguments_of(command);
        code.assign(words.begin(), words.end());
    } else if (const Word* argument = code_argument(command)) {
        code.push_back(*argument);
    } else if ((is_one_of(program, "source .") || runs_code(program)) && command.words.size() > 1) {
        code.push_back(command.words[1]);  // bash <(curl x)
    }
    if (runs_standard_input(command)) {
        for (const Redirect& redirect : command.redirects) {
            if (redirect.kind == Redirect::Kind::HereString ||
                redirect.kind == Redirect::Kind::HereDocument ||
                redirect.kind == Redirect::Kind::Read)
                code.push_back(redirect.target);
        }
    }
    return code;
}

template <class Question>
std::optional<std::string> code_comes_from(const Scene& scene, Question question) {
    if (runs_standard_input(scene.command) && is_piped_from(scene, question))
        return scene.command.text;
    for (const Word& word : code_of(scene.command)) {
        // curl x | xargs bash -c
        const bool added = is_added_later(word) && is_piped_from(scene, question);
        if (added || comes_from(scene, word, question)) return scene.command.text;
    }
    return std::nullopt;
}

std::optional<std::string> download_run(const Scene& scene) {
    return code_comes_from(scene, downloads);
}

std::optional<std::string> decoded_run(const Scene& scene) {
    return code_comes_from(scene, decodes);
}

// eval "$x", bash -c "$x": all of the code is a variable.
std::optional<std::string> code_in_variable(const Scene& scene) {
    const Word* code = code_argument(scene.command);
    if (!code) return std::nullopt;
    const bool all_variable =
        !code->pieces.empty() && std::ranges::all_of(code->pieces, [](const Piece& piece) {
            return piece.kind == Piece::Kind::Variable;
        });
    return found_if(all_variable, code->shown());
}

std::optional<std::string> preloaded_code(const Scene& scene) {
    for (const parse::Assignment& assignment : scene.command.assignments) {
        if (is_one_of(assignment.name, "LD_PRELOAD LD_AUDIT BASH_ENV PROMPT_COMMAND"))
            return assignment.name;
    }
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
