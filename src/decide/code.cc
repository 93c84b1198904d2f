#include "decide/code.h"

#include <string>
#include <string_view>

#include "base/names.h"
#include "decide/arguments.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Redirect;
using parse::Word;

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

}  // namespace

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

}  // namespace husk::decide
