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

    // How many of the next words belong to the option.
    size_t read(const std::string& text) {
        ended = text == "--";
        if (text == "--rcfile" || text == "--init-file") return 1;
        if (text.starts_with("--")) return 0;
        const bool minus = text[0] == '-';
        code = code || (minus && text.find('c') != std::string::npos);
        input = input || (minus && text.find('s') != std::string::npos);
        return static_cast<size_t>(std::ranges::count(text, 'o') +  // -euo pipefail
                                   std::ranges::count(text, 'O'));
    }
};

// Also by its other names: /dev/stdin, /dev/fd/3, /proc/self/fd/0.
bool is_standard_input(const Word& word) {
    const std::string path = word.shown();
    return path == "-" || (path.find("dev/") != std::string::npos && path.ends_with("stdin")) ||
           path.find("/fd/") != std::string::npos;
}

}  // namespace

ShellCall shell_call(const std::vector<Word>& words) {
    Options options;
    size_t i = 1;
    for (; i < words.size() && !options.ended; ++i) {
        const std::string text = words[i].known_start();
        const bool sign = text.size() > 1 && (text[0] == '-' || text[0] == '+');
        if (!sign) break;
        i += options.read(text);
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
    if (program == "source" || program == ".") {
        const size_t file = words.size() > 2 && words[1].is("--") ? 2 : 1;
        return words.size() > file && is_standard_input(words[file]);
    }
    if (program == "crontab") return words.size() < 2 || words.back().is("-");
    if (program == "at" || program == "batch") {
        return std::ranges::none_of(words, [](const Word& word) {
            const std::string text = word.known_start();
            return text.size() > 1 && text[0] == '-' &&
                   text.find_first_of("flrdcV") != std::string::npos;
        });
    }
    if (program == "ssh") return is_ssh_without_command(words);
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

bool runs_a_descriptor(const Command& command) {
    if (command.words.empty()) return false;
    const std::string path = command.words.front().shown();
    return (path.find("dev/") != std::string::npos || path.find("proc/") != std::string::npos) &&
           path.find("/fd/") != std::string::npos;
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

bool may_be_several_words(const Word& word) {
    return std::ranges::any_of(word.pieces, [](const Piece& piece) {
        if (piece.kind == Piece::Kind::Text || piece.kind == Piece::Kind::Tilde ||
            piece.kind == Piece::Kind::Process)
            return false;
        return !piece.quoted || piece.name == "@" || piece.text.find("[@]") != std::string::npos;
    });
}

bool may_run_more_than_it_shows(const Command& command) {
    const std::string program = command.program();
    const std::vector<Word>& words = command.words;
    if (is_shell(program)) {
        const ShellCall call = shell_call(words);
        const size_t end = call.code ? *call.code : words.size();
        return std::any_of(words.begin() + 1, words.begin() + static_cast<std::ptrdiff_t>(end),
                           may_be_several_words);
    }
    if (program == "find") return std::ranges::any_of(words, may_be_several_words);
    const std::vector<Carried> carried = carried_by(command);
    if (carried.size() != 1 || carried[0].kind != Carried::Kind::Words) return false;
    return std::any_of(words.begin() + 1,
                       words.begin() + static_cast<std::ptrdiff_t>(carried[0].first),
                       may_be_several_words);
}

}  // namespace husk::parse
