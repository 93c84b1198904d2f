#include "parse/shells.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "parse/wrappers.h"

namespace husk::parse {
namespace {

constexpr std::array<std::string_view, 12> shells = {
    "bash", "sh", "dash", "zsh", "ksh", "ash", "mksh", "ksh93", "rbash", "fish", "yash", "posh"};

struct Options {
    bool code = false;   // -c
    bool input = false;  // -s: what follows are arguments
    bool ended = false;

    // True when the next word belongs to the option.
    bool read(const std::string& text) {
        ended = text == "--";
        if (text == "--rcfile" || text == "--init-file") return true;
        if (text.starts_with("--")) return false;
        const bool minus = text[0] == '-';
        code = code || (minus && text.find('c') != std::string::npos);
        input = input || (minus && text.find('s') != std::string::npos);
        return text.ends_with('o') || text.ends_with('O');  // -euo pipefail
    }
};

bool is_standard_input(const Word& word) {
    return word.is("-") || word.is("/dev/stdin") || word.is("/dev/fd/0") ||
           word.is("/proc/self/fd/0");
}

}  // namespace

ShellCall shell_call(const std::vector<Word>& words) {
    Options options;
    size_t i = 1;
    for (; i < words.size() && !options.ended; ++i) {
        const std::string text = words[i].known_start();
        const bool sign = text.size() > 1 && (text[0] == '-' || text[0] == '+');
        if (!sign) break;
        if (options.read(text)) ++i;
    }
    ShellCall call;
    if (i >= words.size()) return call;
    if (options.code)
        call.code = i;
    else
        call.file = !options.input && !is_standard_input(words[i]);
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
