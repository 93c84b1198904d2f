#include "parse/shells.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "parse/wrappers.h"

namespace husk::parse {
namespace {

constexpr std::array<std::string_view, 12> shells = {
    "bash", "sh", "dash", "zsh", "ksh", "ash", "mksh", "ksh93", "rbash", "fish", "yash", "posh"};

bool is_standard_input(const Word& word) {
    return word.is("-") || word.is("/dev/stdin") || word.is("/dev/fd/0") ||
           word.is("/proc/self/fd/0");
}

}  // namespace

ShellCall shell_call(const std::vector<Word>& words) {
    ShellCall call;
    bool wants_code = false;
    bool wants_input = false;  // -s: what follows are arguments
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string text = words[i].known_start();
        const bool sign = text.size() > 1 && (text[0] == '-' || text[0] == '+');
        if (!sign) {
            if (wants_code)
                call.code = i;
            else
                call.file = !wants_input && !is_standard_input(words[i]);
            return call;
        }
        if (text == "--") {
            if (i + 1 >= words.size()) return call;
            if (wants_code)
                call.code = i + 1;
            else
                call.file = !wants_input;
            return call;
        }
        if (text == "--rcfile" || text == "--init-file" || text == "-o" || text == "+o" ||
            text == "-O" || text == "+O") {
            ++i;
            continue;
        }
        if (text[0] == '-' && text[1] != '-') {
            wants_code = wants_code || text.find('c') != std::string::npos;
            wants_input = wants_input || text.find('s') != std::string::npos;
            if (text.ends_with('o') || text.ends_with('O')) ++i;  // -euo pipefail
        }
    }
    return call;
}

bool is_shell(const std::string& program) {
    return std::ranges::find(shells, program) != shells.end();
}

bool reads_code(const Command& command) {
    const std::string program = command.program();
    const std::vector<Word>& words = command.words;
    if (program == "source" || program == ".")
        return words.size() > 1 && is_standard_input(words[1]);
    // Without a command these start a shell.
    if (program == "su" || program == "sudo") {
        const bool shell =
            program == "su" || std::ranges::any_of(words, [](const Word& word) {
                return word.is("-s") || word.is("-i") || word.is("--shell") || word.is("--login");
            });
        return shell && carried_by(command).empty();
    }
    if (!is_shell(program)) return false;
    const ShellCall call = shell_call(words);
    return !call.code && !call.file;
}

bool runs_what_a_command_writes(const Command& command) {
    const std::string program = command.program();
    if (program != "source" && program != "." && !is_shell(program)) return false;
    if (command.words.size() < 2 || (is_shell(program) && shell_call(command.words).code))
        return false;
    return std::ranges::any_of(command.words, [](const Word& word) {
        return !word.pieces.empty() && word.pieces[0].kind == Piece::Kind::Process;
    });
}

}  // namespace husk::parse
