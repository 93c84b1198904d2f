// Against commands that destroy the machine. Denied in every mode, bypassPermissions included.
#include <algorithm>
#include <array>

#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/files.h"
#include "decide/names.h"
#include "decide/path.h"
#include "decide/removal.h"

namespace husk::decide {
namespace {

using parse::Word;

constexpr std::string_view known_dangerous = "Command matches a known-dangerous pattern";

bool is_in_background(const Scene& scene) {
    const std::string_view source = scene.script.source;
    const auto [begin, end] = scene.command.range;
    // Of a command in a string this is the range of the string.
    if (end > source.size() || source.substr(begin, end - begin) != scene.command.text)
        return false;
    const size_t next = source.find_first_not_of(" \t", end);
    const std::string_view rest = next == std::string_view::npos ? "" : source.substr(next);
    return rest.starts_with('&') && !rest.starts_with("&&") && !rest.starts_with("&>");
}

// `:(){ :|:& };:` under any name. A function that walks a tree calls itself in a pipeline too,
// but once, and with an argument.
std::optional<std::string> fork_bomb(const Scene& scene) {
    const Survey& survey = scene.survey;
    if (!survey.calls_itself(scene.index)) return std::nullopt;
    const bool multiplies =
        is_in_background(scene) || survey.calls_itself_in_pipeline(scene.index, 2) ||
        (scene.command.words.size() == 1 && survey.calls_itself_in_pipeline(scene.index, 1));
    return multiplies ? std::optional(scene.command.text) : std::nullopt;
}

std::optional<std::string> root_removal(const Scene& scene) {
    const auto removal = removal_of(scene.command);
    if (!removal || removal->recursive_and_forced != Force::Yes) return std::nullopt;
    for (const Word& target : removal->targets) {
        if (is_root(path_of(target, scene.context), scene.context)) return target.shown();
    }
    return std::nullopt;
}

bool is_block_device(const Word& word, const Context& context) {
    // What is known of it is enough: /dev/sd$x is a disk whatever $x is.
    std::string path = known_absolute(path_of(word, context), context);
    if (path.empty()) path = word.known_start();
    constexpr std::string_view dev = "/dev/";
    if (!path.starts_with(dev)) return false;
    const std::string_view name = std::string_view(path).substr(dev.size());
    if (name.starts_with("disk/") || name.starts_with("mapper/") || name.starts_with("md/"))
        return true;
    struct Family {
        std::string_view prefix;
        std::string_view next;  // the letters that its first member starts with
    };
    constexpr std::string_view digits = "0123456789";
    constexpr std::string_view small = "abcdefghijklmnopqrstuvwxyz";
    static constexpr std::array families = {
        Family{"sd", small},    Family{"hd", small},    Family{"vd", small},
        Family{"xvd", small},   Family{"nvme", digits}, Family{"mmcblk", digits},
        Family{"loop", digits}, Family{"dm-", digits},  Family{"md", digits},
    };
    return std::ranges::any_of(families, [&](const Family& family) {
        if (!name.starts_with(family.prefix)) return false;
        const std::string_view rest = name.substr(family.prefix.size());
        return rest.empty() ? !word.known() : family.next.contains(rest.front());
    });
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

std::optional<std::string> device_wipe(const Scene& scene) {
    const std::string program = scene.command.program();
    if (!is_one_of(program, "wipefs blkdiscard")) return std::nullopt;
    const Arguments arguments = read_arguments(arguments_of(scene.command), {"ot"});
    if (program == "wipefs" && !arguments.has("a") && !arguments.has("all")) return std::nullopt;
    for (const Word& word : arguments.operands) {
        if (is_block_device(word, scene.context)) return word.shown();
    }
    return std::nullopt;
}

std::optional<std::string> new_file_system(const Scene& scene) {
    const std::string program = scene.command.program();
    const bool makes = is_one_of(program, "mkfs mke2fs mkswap") || program.starts_with("mkfs.");
    return makes ? std::optional(program) : std::nullopt;
}

std::optional<std::string> kernel_module(const Scene& scene) {
    const std::string program = scene.command.program();
    return is_one_of(program, "insmod rmmod modprobe") ? std::optional(program) : std::nullopt;
}

std::optional<std::string> open_root(const Scene& scene) {
    if (scene.command.program() != "chmod") return std::nullopt;
    const Arguments arguments = read_arguments(arguments_of(scene.command));
    if (arguments.operands.size() < 2) return std::nullopt;
    const std::string mode = arguments.operands.front().shown();
    const bool open_to_all =
        is_one_of(mode, "777 0777 1777 a+rwx a=rwx ugo+rwx ugo=rwx +rwx o+rwx o=rwx a+w o+w");
    const bool on_root = std::ranges::any_of(
        std::span(arguments.operands).subspan(1),
        [&](const Word& word) { return is_root(path_of(word, scene.context), scene.context); });
    return open_to_all && on_root ? std::optional(scene.command.text) : std::nullopt;
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
