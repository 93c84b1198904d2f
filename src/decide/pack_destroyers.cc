// Against commands that destroy the machine. Denied in every mode, bypassPermissions included.
#include <algorithm>
#include <array>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/device.h"
#include "decide/files.h"
#include "decide/only_tells.h"
#include "decide/path.h"
#include "decide/removal.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Piece;
using parse::Word;

constexpr std::string_view known_dangerous = "Command matches a known-dangerous pattern";

// `:(){ :|:& };:` under any name. A function that walks a tree calls itself in a pipeline too,
// but once, and with an argument.
bool calls_itself_ever_more(const Scene& scene) {
    const Survey& survey = scene.survey;
    if (!survey.calls_itself(scene.index)) return false;
    const bool in_background = scene.script.commands[scene.index].background;
    return in_background || survey.calls_itself_in_pipeline(scene.index, 2) ||
           (scene.command.words.size() == 1 && survey.calls_itself_in_pipeline(scene.index, 1));
}

// $0 & $0 &: the script starts itself. With arguments it is a program that goes to the background.
bool starts_itself(const Command& command) {
    if (!command.background || command.words.size() != 1) return false;
    return std::ranges::all_of(command.words.front().pieces, [](const Piece& piece) {
        return piece.text.empty() || (piece.kind == Piece::Kind::Variable && piece.name == "0");
    });
}

// perl -e 'fork while fork', python -c 'while 1: os.fork()'
bool forks_for_ever(const Command& command) {
    const std::string program = command.program();
    if (!is_one_of(program, "perl ruby") && !program.starts_with("python")) return false;
    return std::ranges::any_of(arguments_of(command), [](const Word& word) {
        std::string code = word.shown();
        std::erase_if(code,
                      [](char letter) { return letter == ' ' || letter == '(' || letter == ')'; });
        return code.contains("forkwhile") || code.contains("{fork}") || code.contains("{fork;}") ||
               (code.contains("while") && code.contains("os.fork"));
    });
}

std::optional<std::string> fork_bomb(const Scene& scene) {
    const Command& written = scene.script.commands[scene.index];
    const bool multiplies =
        calls_itself_ever_more(scene) || starts_itself(written) || forks_for_ever(scene.command);
    return found_if(multiplies, scene.command.text);
}

std::optional<std::string> root_removal(const Scene& scene) {
    const auto removal = removal_of(scene.command);
    if (!removal || removal->recursive_and_forced != Force::Yes) return std::nullopt;
    for (const Word& target : removal->targets) {
        if (is_root(path_of(target, scene.context), scene.context)) return target.shown();
    }
    return std::nullopt;
}

std::optional<std::string> device_write(const Scene& scene) {
    for (const FileTouch& touch : file_touches(scene.command)) {
        const bool writes =
            touch.operation == Operation::Write || touch.operation == Operation::Append;
        // Changing who may use a device is not writing onto it.
        if (!writes || is_one_of(scene.command.program(), "chmod chown chgrp touch")) continue;
        if (is_block_device(touch.path, scene.context)) return touch.path.shown();
    }
    return std::nullopt;
}

// Programs that make a disk empty: by an option or a word, or always.
struct Wiper {
    std::string_view program;
    std::string_view letters;
    std::array<std::string_view, 3> names;
    std::string_view words;
};

constexpr std::array wipers = {
    Wiper{"wipefs", "a", {"all"}, ""},
    Wiper{"sgdisk", "Zzo", {"zap-all", "zap", "clear"}, ""},
    Wiper{"sfdisk", "", {"delete", "wipe", "wipe-partitions"}, ""},
    Wiper{"parted", "", {}, "mklabel mktable mkpart rm"},
    Wiper{"nvme", "", {}, "format sanitize"},
    Wiper{"cryptsetup", "", {}, "luksFormat luksErase erase"},
};

bool wipes(const Command& command, const Arguments& arguments) {
    const std::string program = command.program();
    if (program == "blkdiscard") return true;
    const auto* wiper = std::ranges::find(wipers, program, &Wiper::program);
    if (wiper == wipers.end()) return false;
    constexpr size_t shortest = 1;  // of an abbreviation
    return std::ranges::any_of(wiper->letters,
                               [&](char letter) { return arguments.has({&letter, 1}); }) ||
           std::ranges::any_of(wiper->names,
                               [&](std::string_view name) {
                                   return !name.empty() && arguments.has(name, shortest);
                               }) ||
           std::ranges::any_of(arguments.operands, [&](const Word& word) {
               return is_one_of(word.shown(), wiper->words);
           });
}

std::optional<std::string> device_wipe(const Scene& scene) {
    const Arguments arguments = read_arguments(arguments_of(scene.command), {"ot"});
    if (!wipes(scene.command, arguments) || only_tells(scene.command)) return std::nullopt;
    for (const Word& word : scene.command.words) {
        if (is_block_device(word, scene.context)) return word.shown();
    }
    return std::nullopt;
}

// On a disk; in a plain file it destroys nothing but that.
std::optional<std::string> new_file_system(const Scene& scene) {
    if (!makes_file_system(scene.command.program())) return std::nullopt;
    return formatted_device(scene.command, scene.context);
}

std::optional<std::string> kernel_module(const Scene& scene) {
    const std::string program = scene.command.program();
    const bool changes = is_one_of(program, "insmod rmmod modprobe") && !only_tells(scene.command);
    return found_if(changes, program);
}

// Open to everybody, or closed to all.
bool is_ruinous(const std::string& mode) {
    return is_one_of(mode,
                     "777 0777 1777 a+rwx a=rwx ugo+rwx ugo=rwx +rwx o+rwx o=rwx a+w o+w a+rwX "
                     "000 0000 00 0 a-rwx a-x a= -x -rx a-rx ugo-rwx ugo=");
}

// chmod -R and chown -R on the root ruin the machine whatever the mode and the owner are.
std::optional<std::string> open_root(const Scene& scene) {
    if (!is_one_of(scene.command.program(), "chmod chown chgrp")) return std::nullopt;
    const Arguments arguments = read_arguments(arguments_of(scene.command));
    if (arguments.operands.size() < 2) return std::nullopt;
    const bool all = arguments.has("R") || arguments.has("recursive", 3);
    const bool ruins =
        all || (scene.command.program() == "chmod" && is_ruinous(arguments.operands[0].shown()));
    const bool on_root = std::ranges::any_of(
        std::span(arguments.operands).subspan(1),
        [&](const Word& word) { return is_root(path_of(word, scene.context), scene.context); });
    return found_if(ruins && on_root, scene.command.text);
}

constexpr Check destroyer(std::string_view id, std::string_view instead,
                          std::optional<std::string> (*evidence)(const Scene&)) {
    return {.id = id,
            .decision = Decision::Deny,
            .severity = Severity::Critical,
            .confidence = 1.0,
            .reason = known_dangerous,
            .instead = instead,
            .evidence = evidence};
}

constexpr std::array checks = {
    destroyer("destroyers/fork-bomb", "", fork_bomb),
    destroyer("destroyers/root-removal", "Name the one directory that is meant.", root_removal),
    destroyer("destroyers/device-write", "Write to a file, not to a disk.", device_write),
    destroyer("destroyers/device-wipe", "", device_wipe),
    destroyer("destroyers/new-file-system", "", new_file_system),
    destroyer("destroyers/kernel-module", "", kernel_module),
    destroyer("destroyers/open-root", "Change the mode of the one file that is meant.", open_root),
};

}  // namespace

constinit const Pack destroyers_pack = {
    .name = "destroyers",
    .about = "commands that destroy the machine",
    .on_by_default = true,
    .checks = checks,
};

}  // namespace husk::decide
