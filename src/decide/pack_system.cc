// Against commands that no agent needs: at command position, as the parser sees it. A script in
// a string (bash -c "sudo ls") passes on purpose, and so does a program that is not known.
#include <array>

#include "base/names.h"
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

constexpr std::array checks = {
    Check{"system/denied-token", Decision::Deny, Severity::High, 1.0,
          "command uses denylisted token \"{}\"", "Do it without, or ask the user to do it.",
          denied_token},
};

}  // namespace

constinit const Pack system_pack = {
    .name = "system",
    .about = "administration of the machine",
    .on_by_default = false,
    .checks = checks,
};

}  // namespace husk::decide
