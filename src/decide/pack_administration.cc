// Against looking after the machine itself: its disks, and processes that are not the agent's.
#include <algorithm>
#include <array>

#include "base/names.h"
#include "base/pattern.h"
#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/device.h"
#include "decide/only_tells.h"

namespace husk::decide {
namespace {

using parse::Command;
using parse::Via;
using parse::Word;

constexpr double sure = 0.9;
constexpr double likely = 0.6;

bool is_elsewhere(const Scene& scene) { return comes_via(scene.script, scene.index, Via::Remote); }

// Those that change a disk unless an option says that they only list.
constexpr std::string_view disk_tools =
    "fdisk cfdisk sfdisk gdisk cgdisk sgdisk parted swapon swapoff losetup lvremove vgremove "
    "pvremove lvcreate vgcreate pvcreate mdadm resize2fs tune2fs e2label xfs_growfs fsck e2fsck";

std::optional<std::string> disk(const Scene& scene) {
    if (!is_one_of(scene.command.program(), disk_tools) || is_elsewhere(scene)) return std::nullopt;
    const Arguments arguments = read_arguments(arguments_of(scene.command), {"ot"});
    const bool lists =
        std::ranges::any_of(arguments.options,
                            [](const Option& option) {
                                return is_one_of(option.name, "l list p print s show a all i info");
                            }) ||
        std::ranges::any_of(arguments.operands, [](const Word& word) { return word.is("print"); });
    const bool on_device = std::ranges::any_of(scene.command.words, [&](const Word& word) {
        return is_block_device(word, scene.context);
    });
    return found_if(on_device && !lists && !only_tells(scene.command), scene.command.text);
}

// What keeps the machine going.
constexpr std::string_view daemons =
    "init systemd systemd-journald systemd-logind systemd-udevd systemd-resolved sshd dbus-daemon "
    "dockerd containerd cron crond rsyslogd NetworkManager Xorg gnome-shell login agetty udevd";

bool is_foreign_pid(const Word& word) { return word.is("1") || word.is("-1"); }

// -9, -KILL, -SIGUSR1: its letters are no options.
bool is_signal(const Word& word) {
    std::string name = word.shown();
    if (!name.starts_with('-')) return false;
    name.erase(0, name.starts_with("-SIG") ? 4 : 1);
    return is_one_of(name,
                     "HUP INT QUIT ILL TRAP ABRT IOT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM "
                     "STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO POLL "
                     "PWR SYS") ||
           (!name.empty() && name.find_first_not_of("0123456789") == std::string::npos);
}

// The expression fits names that have nothing in common.
bool fits_every_name(const Word& word) {
    const auto expression = word.value();
    if (!expression) return false;
    const auto pattern = Pattern::compile(*expression);
    constexpr std::array<std::string_view, 5> names = {"bash", "sshd", "node", "java", "Xorg"};
    return pattern && std::ranges::all_of(
                          names, [&](std::string_view name) { return pattern->matches(name); });
}

// Of killall and pkill: processes of a user, of the machine, or all there are.
bool kills_by_name(const Command& command) {
    static constexpr std::array<std::string_view, 5> with_value = {"user", "euid", "uid", "signal",
                                                                   "older-than"};
    auto words = arguments_of(command);
    if (!words.empty() && is_signal(words.front())) words = words.subspan(1);
    const Arguments arguments = read_arguments(words, {"uUsgGPt", with_value});
    const bool of_user = arguments.has("u") || arguments.has("U") || arguments.has("user", 1) ||
                         arguments.has("euid", 1) || arguments.has("uid", 2);
    const bool is_pkill = command.program() == "pkill";
    const bool all_others = is_pkill && (arguments.has("v") || arguments.has("inverse", 1));
    const bool by_expression = is_pkill || arguments.has("r") || arguments.has("regexp", 1);
    return of_user || all_others || std::ranges::any_of(arguments.operands, [&](const Word& word) {
               return is_one_of(word.shown(), daemons) || (by_expression && fits_every_name(word));
           });
}

std::optional<std::string> foreign_process(const Scene& scene) {
    const std::string program = scene.command.program();
    if (is_elsewhere(scene)) return std::nullopt;
    if (program == "killall5") return scene.command.text;
    if (program == "kill") {
        // kill -1 alone is a signal's number; with something behind it too.
        auto words = arguments_of(scene.command);
        if (!words.empty() && words[0].known_start().starts_with('-')) {
            const bool takes_signal = words[0].is("-s") || words[0].is("-n");
            words = words.subspan(std::min<size_t>(takes_signal ? 2 : 1, words.size()));
        }
        return found_if(std::ranges::any_of(words, is_foreign_pid), scene.command.text);
    }
    if (!is_one_of(program, "killall pkill")) return std::nullopt;
    return found_if(kills_by_name(scene.command), scene.command.text);
}

// chmod 777 x, chmod -R a+rwx x. A sticky directory is meant to be like that.
std::optional<std::string> open_to_all(const Scene& scene) {
    if (scene.command.program() != "chmod" || is_elsewhere(scene)) return std::nullopt;
    const Arguments arguments = read_arguments(arguments_of(scene.command));
    const bool opens =
        !arguments.operands.empty() &&
        is_one_of(arguments.operands[0].shown(),
                  "777 0777 666 0666 a+rwx a=rwx ugo+rwx ugo=rwx o+w a+w o+rwx o=rwx +rwx");
    return found_if(opens, scene.command.text);
}

constexpr std::array checks = {
    Check{"administration/disk", Decision::Deny, Severity::Critical, sure,
          "This changes a disk of the machine ({}).", "lsblk shows disks without changing them.",
          disk},
    Check{"administration/foreign-process", Decision::Deny, Severity::High, sure,
          "This ends processes that were not started here ({}).",
          "End the one process that is meant, by its number.", foreign_process},
    Check{"administration/open-to-all", Decision::Ask, Severity::Medium, likely,
          "Everybody on the machine may write there afterwards ({}).",
          "chmod 755 for programs and directories, 644 for files.", open_to_all},
};

}  // namespace

constinit const Pack administration_pack = {
    .name = "administration",
    .about = "looking after disks and processes of the machine",
    .on_by_default = false,
    .checks = checks,
};

}  // namespace husk::decide
