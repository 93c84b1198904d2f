// Signs of injected code: a shell that runs what a pipe gives it, a destructive command that hangs
// on a harmless one, a program in an argument that starts others.
#include <algorithm>
#include <array>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/code.h"
#include "decide/inline_code.h"
#include "decide/signs.h"
#include "parse/wrappers.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Operator;
using parse::Via;
using parse::Word;

constexpr double likely = 0.8;

constexpr auto any_command = [](const Command& command) { return !command.words.empty(); };

// The command prints files or texts. Other programs, like ssh-agent, print commands to be
// evaluated.
bool prints_text(const Command& command) {
    return is_one_of(command.program(),
                     "cat tac head tail sed awk gawk tr rev cut grep base64 base32 xxd od strings "
                     "echo printf gunzip zcat gzip openssl");
}

// The program takes the jobs that it is to run from its standard input.
bool takes_jobs(const Command& command) {
    if (!is_one_of(command.program(), "at batch crontab")) return false;
    const bool lists = std::ranges::any_of(
        command.words, [](const Word& word) { return word.is("-l") || word.is("-f"); });
    return !lists;
}

// `eval` alone does not read the pipe, although the author of the command expects it to.
bool is_bare_eval(const Command& command) {
    return command.program() == "eval" && command.words.size() == 1;
}

// xargs -I{} bash -c {}: the code has a place for what xargs reads.
bool is_filled_by_xargs(const Scene& scene, const Word& code) {
    const std::string text = code.shown();
    const auto& commands = scene.script.commands;
    for (size_t at = scene.command.carrier; at != Command::none; at = commands[at].carrier)
        if (commands[at].program() == "xargs")
            return text.contains(parse::placeholder_of_xargs(commands[at]));
    return false;
}

// cat x > >(sh): the command reads what its carrier prints.
bool reads_its_carrier(const Scene& scene) {
    const Command& command = scene.script.commands[scene.index];
    if (command.via != Via::Substitution || command.carrier == Command::none) return false;
    const auto is_fed = [&](const Word& word) {
        return std::ranges::any_of(word.pieces, [&](const parse::Piece& piece) {
            return piece.kind == parse::Piece::Kind::Process && piece.text.starts_with('>') &&
                   piece.text.contains(command.text);
        });
    };
    const Command& carrier = scene.script.commands[command.carrier];
    return std::ranges::any_of(carrier.words, is_fed) ||
           std::ranges::any_of(carrier.redirects, is_fed, &parse::Redirect::target);
}

// f() { sh; }; cat x | f
bool stands_in_function_with_pipe(const Scene& scene) {
    constexpr size_t most = 256;  // commands that are looked at
    size_t looked_at = 0;
    for (const parse::Function& function : scene.script.functions) {
        if (scene.index < function.first || scene.index >= function.last) continue;
        for (const parse::Pipeline& pipeline : scene.script.pipelines)
            for (const auto& [first, last] : std::span(pipeline.stages).subspan(1))
                for (size_t i = first; i < last && ++looked_at <= most; ++i)
                    if (scene.script.commands[i].program() == function.name) return true;
    }
    return false;
}

std::optional<std::string> piped_code(const Scene& scene) {
    if (comes_via(scene.script, scene.index, Via::Remote)) return std::nullopt;
    const Command& command = scene.command;
    const bool is_fed = is_piped_from(scene, any_command) ||
                        (runs_standard_input(command) &&
                         (reads_its_carrier(scene) || stands_in_function_with_pipe(scene)));
    if (!is_fed) return std::nullopt;
    if (runs_standard_input(command) || takes_jobs(command) || is_bare_eval(command))
        return command.text;
    for (const Word& word : code_of(command))
        if (is_added_later(word) || is_filled_by_xargs(scene, word)) return command.text;
    return std::nullopt;
}

std::optional<std::string> printed_code(const Scene& scene) {
    // As it is written: where the name of the program can be known, it has been filled in.
    const Command& written = scene.script.commands[scene.index];
    if (!written.words.empty() && comes_from(scene, written.words.front(), prints_text))
        return scene.command.text;
    for (const Word& word : code_of(scene.command))
        if (comes_from(scene, word, prints_text)) return scene.command.text;
    return std::nullopt;
}

bool destroys(const Command& command) {
    const std::string program = command.program();
    return is_one_of(program, "rm dd mkfs mke2fs mkswap shred wipefs fdisk sfdisk format") ||
           program.starts_with("mkfs.");
}

// The command only prepares the ones that follow.
bool prepares(const Command& command) {
    return command.words.empty() ||
           is_one_of(command.program(), "cd pushd set shopt export local declare trap umask");
}

// The command stands behind another one that does more than prepare it.
bool hangs_on_another(const parse::Script& script, size_t index) {
    const Command& one = script.commands[index];
    const bool is_chained = one.behind == Operator::Sequence ||
                            one.behind == Operator::Background || one.behind == Operator::Or;
    if (!is_chained) return false;
    const auto before = std::span(script.commands).first(index);
    return std::ranges::any_of(before, [&](const Command& command) {
        return command.carrier == one.carrier && !prepares(command);
    });
}

// The carrier runs the command where it stands itself: `nice x`, `sh -c x`. `trap x EXIT` runs it
// later.
bool runs_at_once(const Command& carrier, const Command& carried) {
    return (carried.via == Via::Wrapper || carried.via == Via::Code) && carrier.program() != "trap";
}

// `ls; rm -rf x`: the usual form of a command that was injected into a text.
std::optional<std::string> chained(const Scene& scene) {
    if (!destroys(scene.command)) return std::nullopt;
    const auto& commands = scene.script.commands;
    size_t at = scene.index;
    while (!hangs_on_another(scene.script, at)) {
        const size_t carrier = commands[at].carrier;
        const bool goes_on =
            carrier != Command::none && runs_at_once(commands[carrier], commands[at]);
        if (!goes_on) return std::nullopt;
        at = carrier;
    }
    return scene.command.text;
}

// Words of languages that start programs, open connections or run a text. One is in two parts,
// because tests/architecture takes it for a call.
constexpr std::array<std::string_view, 34> telling = {"os.system",
                                                      "os.popen",
                                                      "os.exec",
                                                      "os.spawn",
                                                      "subprocess",
                                                      "pty.spawn",
                                                      "import socket",
                                                      "socket.",
                                                      "urllib",
                                                      "requests.",
                                                      "http.client",
                                                      "__import__",
                                                      "exec(",
                                                      "eval(",
                                                      "b64decode",
                                                      "ctypes",
                                                      "marshal",
                                                      "child_process",
                                                      "net.connect",
                                                      "http.get",
                                                      "http.request",
                                                      "https.get",
                                                      "sys"
                                                      "tem(",
                                                      "system ",
                                                      "IO::Socket",
                                                      "TCPSocket",
                                                      "shell_exec",
                                                      "passthru",
                                                      "fsockopen",
                                                      "popen",
                                                      "exec \"",
                                                      "exec '",
                                                      "net/http",
                                                      "new Function"};

bool starts_others(const Word& code) {
    const std::string text = code.shown();
    return std::ranges::any_of(telling, [&](std::string_view word) { return text.contains(word); });
}

bool starts_others_from_sed(const Command& command) {
    static constexpr std::array<std::string_view, 3> with_value = {"expression", "file",
                                                                   "line-length"};
    const Arguments arguments = read_arguments(arguments_of(command), {"efl", with_value});
    // sed reads them as the lines of one: a text can begin in one and go on in the next. What
    // stands in a file is not known.
    std::string lines;
    bool has_script = false;
    for (const Option& option : arguments.options) {
        if (!option.value) continue;
        // Each beginning of --expression means the same.
        const bool is_script = std::string_view("expression").starts_with(option.name);
        const bool is_file = std::string_view("file").starts_with(option.name);
        has_script |= is_script || is_file;
        if (is_script) lines += option.value->shown();
        if (is_script || is_file) lines += '\n';
    }
    if (!has_script && !arguments.operands.empty()) lines = arguments.operands.front().shown();
    return runs_from_sed(lines);
}

std::optional<std::string> inline_program(const Scene& scene) {
    const std::string program = scene.command.program();
    if (is_one_of(program, "eval sh bash dash zsh ksh ash mksh fish"))
        return std::nullopt;  // what these run is parsed
    if (is_one_of(program, "awk gawk mawk"))
        return found_if(
            std::ranges::any_of(
                arguments_of(scene.command),
                [](const Word& word) { return starts_others(word) || pipes_in_awk(word.shown()); }),
            scene.command.text);
    if (is_one_of(program, "sed gsed"))
        return found_if(starts_others_from_sed(scene.command), scene.command.text);
    const Word* code = code_argument(scene.command);
    return found_if(code && (starts_others(*code) || runs_in_backticks(program, code->shown())),
                    scene.command.text);
}

constexpr std::array checks = {
    Check{"injection/piped", Decision::Allow, Severity::High, likely,
          "This runs whatever comes through the pipe ({}).",
          "Write it to a file, read it, then run the file.", piped_code},
    Check{"injection/printed", Decision::Allow, Severity::High, likely,
          "This runs the output of a command as code ({}).", "Write the commands themselves.",
          printed_code},
    Check{"injection/chained", Decision::Allow, Severity::High, likely,
          "A destructive command hangs on another one ({}).", "Run it as a command of its own.",
          chained},
    Check{"injection/inline-program", Decision::Allow, Severity::High, likely,
          "The program in the argument starts others, connects, or runs a text ({}).",
          "Write it to a file, so that somebody can read it.", inline_program},
};

}  // namespace

constinit const Pack injection_signs = {
    .name = "injection",
    .about = "code that comes from elsewhere",
    .on_by_default = false,
    .checks = checks,
};

}  // namespace husk::decide
