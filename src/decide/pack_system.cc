// Against commands that no agent needs: at command position, as the parser sees it. A script in
// a string (bash -c "sudo ls") passes on purpose, and so does a program that is not known.
#include <algorithm>
#include <array>
#include <vector>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/device.h"
#include "decide/only_tells.h"

namespace husk::decide {
namespace {

using parse::Via;

constexpr std::string_view denied =
    "sudo su shutdown reboot halt poweroff chroot mount umount mkfs";

bool formats_only_a_file(const parse::Command& command, const Context& context) {
    return makes_file_system(command.program()) && command.words.size() > 1 &&
           !formatted_device(command, context);
}

// A program that the user named relative to a directory, such as ./mount: the list of the contract
// has bare names.
bool is_relative_path(const parse::Command& command) {
    const std::optional<std::string> path = command.words.front().value();
    return path && path->contains('/') && !path->starts_with('/');
}

std::optional<std::string> denied_token(const Scene& scene) {
    if (comes_via(scene.script, scene.index, Via::Code) ||
        comes_via(scene.script, scene.index, Via::Remote))
        return std::nullopt;
    // As it stands there, not as it would be filled in.
    const parse::Command& command = scene.script.commands[scene.index];
    const std::string program = command.program();
    if (!is_one_of(program, denied) && !program.starts_with("mkfs.")) return std::nullopt;
    const bool passes = scene.context.denylist == Denylist::Literal
                            ? is_relative_path(command)
                            : only_tells(command) || formats_only_a_file(command, scene.context);
    return passes ? std::nullopt : std::optional(command.words.front().shown());
}

// reboot.target
bool is_state_without_work(std::string_view unit) {
    if (unit.ends_with(".target")) unit.remove_suffix(std::string_view(".target").size());
    return is_one_of(unit,
                     "reboot poweroff halt kexec soft-reboot rescue emergency suspend hibernate "
                     "hybrid-sleep suspend-then-hibernate sleep shutdown exit runlevel0 runlevel1 "
                     "runlevel6");
}

bool changes_power(const parse::Command& command) {
    static constexpr std::array<std::string_view, 3> with_value = {"host", "machine", "message"};
    const std::string program = command.program();
    const Arguments arguments = read_arguments(arguments_of(command), {"HMtTpno", with_value});
    const std::vector<parse::Word>& operands = arguments.operands;
    if (program == "kexec") return arguments.has("e") || arguments.has("exec", 2);
    if (operands.empty() || !is_one_of(program, "systemctl init telinit")) return false;
    const std::string first = operands[0].shown();
    if (program != "systemctl") return is_one_of(first, "0 1 6 s S");
    if (arguments.has("user", 1)) return false;
    if (operands.size() == 1) return is_state_without_work(first) && !first.contains('.');
    return is_one_of(first, "start isolate") &&
           std::ranges::any_of(operands, [](const parse::Word& word) {
               const std::string unit = word.shown();
               return unit.ends_with(".target") && is_state_without_work(unit);
           });
}

// What `reboot` and `halt` do, by the programs behind them. Where the list is meant to the letter,
// it has these not.
std::optional<std::string> power(const Scene& scene) {
    const bool is_elsewhere = comes_via(scene.script, scene.index, Via::Remote);
    if (scene.context.denylist == Denylist::Literal || is_elsewhere) return std::nullopt;
    return found_if(changes_power(scene.command) && !only_tells(scene.command), scene.command.text);
}

constexpr std::array checks = {
    Check{"system/denied-token", Decision::Deny, Severity::High, 1.0,
          "command uses denylisted token \"{}\"", "Do it without, or ask the user to do it.",
          denied_token},
    Check{"system/power", Decision::Deny, Severity::High, 1.0,
          "This stops the machine, or starts it again ({}).", "Ask the user to do it.", power},
};

}  // namespace

constinit const Pack system_pack = {
    .name = "system",
    .about = "administration of the machine",
    .on_by_default = false,
    .checks = checks,
};

}  // namespace husk::decide
