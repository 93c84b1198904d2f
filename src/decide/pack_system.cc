// Against commands that no agent needs: at command position, as the parser sees it. A script in
// a string (bash -c "sudo ls") passes on purpose, and so does a program that is not known.
#include <array>

#include "decide/check.h"
#include "decide/names.h"

namespace husk::decide {
namespace {

using parse::Via;

constexpr std::string_view denied =
    "sudo su shutdown reboot halt poweroff chroot mount umount mkfs";

std::optional<std::string> denied_token(const Scene& scene) {
    if (comes_via(scene.script, scene.index, Via::Code) ||
        comes_via(scene.script, scene.index, Via::Remote))
        return std::nullopt;
    // As it stands there, not as it would be filled in.
    const parse::Command& command = scene.script.commands[scene.index];
    const std::string program = command.program();
    if (!is_one_of(program, denied) && !program.starts_with("mkfs.")) return std::nullopt;
    return command.words.front().shown();
}

constexpr std::array checks = {
    Check{
        .id = "system/denied-token",
        .decision = Decision::Deny,
        .severity = Severity::High,
        .confidence = 1.0,
        .reason = "command uses denylisted token \"{}\"",
        .instead = "Do it without, or ask the user to do it.",
        .evidence = denied_token,
    },
};

}  // namespace

constinit const Pack system_pack = {
    .name = "system",
    .about = "administration of the machine",
    .on_by_default = false,
    .checks = checks,
};

}  // namespace husk::decide
