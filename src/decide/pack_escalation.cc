// Against becoming somebody with more rights, now or later.
#include <algorithm>
#include <array>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/files.h"
#include "decide/only_tells.h"
#include "decide/path.h"

namespace husk::decide {
namespace {

using parse::Via;
using parse::Word;

constexpr double sure = 0.9;

bool is_elsewhere(const Scene& scene) { return comes_via(scene.script, scene.index, Via::Remote); }

std::optional<std::string> other_user(const Scene& scene) {
    const std::string program = scene.command.program();
    const bool becomes = is_one_of(
        program, "sudo sudoedit su doas pkexec runuser run0 gosu su-exec visudo vipw vigr");
    return found_if(becomes && !is_elsewhere(scene) && !only_tells(scene.command),
                    scene.command.text);
}

// 4755, 2755, u+s, g+s, +s, ug=rwxs. 1777 is only sticky.
bool sets_identity_bit(const std::string& mode) {
    if (mode.empty()) return false;
    if (mode.find_first_not_of("01234567") == std::string::npos)
        return mode.size() >= 4 && ((mode[mode.size() - 4] - '0') & 6) != 0;
    for (size_t at = mode.find_first_of("+="); at != std::string::npos;
         at = mode.find_first_of("+=", at + 1)) {
        const size_t end = mode.find_first_of(",+=-", at + 1);
        if (mode.substr(at + 1, end - at - 1).contains('s')) return true;
    }
    return false;
}

std::optional<std::string> identity_bit(const Scene& scene) {
    if (!is_one_of(scene.command.program(), "chmod install mknod")) return std::nullopt;
    static constexpr std::array<std::string_view, 1> with_value = {"mode"};
    const bool is_chmod = scene.command.program() == "chmod";
    const Arguments arguments =
        read_arguments(arguments_of(scene.command), {is_chmod ? "" : "mogtS", with_value});
    const Word* mode = is_chmod
                           ? (arguments.operands.empty() ? nullptr : &arguments.operands.front())
                           : arguments.value_of("m");
    if (!is_chmod && !mode) mode = arguments.value_of("mode");
    return found_if(mode && sets_identity_bit(mode->shown()), scene.command.text);
}

std::optional<std::string> capability(const Scene& scene) {
    const std::string program = scene.command.program();
    return found_if(is_one_of(program, "setcap capsh"), scene.command.text);
}

// `passwd`, /usr/bin/passwd; not the file /etc/passwd.
bool is_installed_program(const Scene& scene) {
    const Word& program = scene.command.words.front();
    const std::string text = program.shown();
    if (!text.contains('/')) return true;
    const std::string path = known_absolute(path_of(program, scene.context), scene.context);
    const std::string_view directory = std::string_view(path).substr(0, path.rfind('/'));
    return directory.ends_with("/bin") || directory.ends_with("/sbin");
}

std::optional<std::string> account_change(const Scene& scene) {
    const std::string program = scene.command.program();
    const Arguments arguments = read_arguments(arguments_of(scene.command), {"GgudsceL"});
    const bool changes =
        is_one_of(program, "passwd chpasswd useradd adduser addgroup groupadd groupmod") ||
        (program == "usermod" && !arguments.options.empty()) ||
        (program == "gpasswd" && !arguments.options.empty());
    const bool is_meant = changes && is_installed_program(scene);
    return found_if(is_meant && !is_elsewhere(scene) && !only_tells(scene.command),
                    scene.command.text);
}

// Files that decide who may do what, and what the system starts by itself.
constexpr std::string_view powerful_files =
    "/etc/sudoers /etc/sudoers.d /etc/passwd /etc/shadow /etc/group /etc/gshadow /etc/pam.d "
    "/etc/security /etc/ssh /etc/ld.so.preload /etc/profile /etc/profile.d /etc/crontab "
    "/etc/cron.d /etc/cron.daily /etc/cron.hourly /var/spool/cron /etc/systemd/system /root/.ssh";

std::optional<std::string> powerful_file(const Scene& scene) {
    if (is_elsewhere(scene)) return std::nullopt;
    for (const FileTouch& touch : file_touches(scene.command)) {
        if (touch.operation == Operation::Read) continue;
        const std::string path = known_absolute(path_of(touch.path, scene.context), scene.context);
        // It, or a directory that it is in.
        for (size_t end = path.size(); end != std::string::npos && end > 0;
             end = path.rfind('/', end - 1)) {
            const std::string file = path.substr(0, end);
            // Whoever is at home there has those rights already.
            if (!scene.context.home.empty() && file.starts_with(scene.context.home + "/")) continue;
            if (is_one_of(file, powerful_files)) return touch.path.shown();
        }
    }
    return std::nullopt;
}

// docker run -v /:/host and docker run --privileged give the machine away.
std::optional<std::string> machine_in_container(const Scene& scene) {
    if (!is_one_of(scene.command.program(), "docker podman nerdctl")) return std::nullopt;
    const auto words = arguments_of(scene.command);
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string text = words[i].shown();
        const std::string next = i + 1 < words.size() ? words[i + 1].shown() : "";
        if (text == "--privileged" || text == "--privileged=true" || text == "--pid=host")
            return text;
        const bool mounts = text == "-v" || text == "--volume";
        if (mounts && next.starts_with("/:")) return text + " " + next;
        if (text.starts_with("-v/:") || text.starts_with("--volume=/:")) return text;
    }
    return std::nullopt;
}

std::optional<std::string> other_namespace(const Scene& scene) {
    return found_if(scene.command.program() == "nsenter", scene.command.text);
}

constexpr std::array checks = {
    Check{"escalation/other-user", Decision::Deny, Severity::Critical, sure,
          "This runs something with the rights of another user ({}).",
          "Run it as yourself, or ask the user to do this step.", other_user},
    Check{"escalation/identity-bit", Decision::Deny, Severity::Critical, sure,
          "A file with this mode runs with the rights of its owner ({}).",
          "chmod 755 makes a file executable.", identity_bit},
    Check{"escalation/capability", Decision::Deny, Severity::Critical, sure,
          "This gives a program rights that belong to root ({}).", "", capability},
    Check{"escalation/account", Decision::Deny, Severity::Critical, sure,
          "This changes an account or who belongs to a group ({}).", "", account_change},
    Check{"escalation/powerful-file", Decision::Deny, Severity::Critical, sure,
          "Whoever writes {} decides who may do what on this machine.", "", powerful_file},
    Check{"escalation/container", Decision::Ask, Severity::Critical, sure,
          "A container with {} can do anything on this machine.",
          "Mount the one directory that it needs, and leave --privileged out.",
          machine_in_container},
    Check{"escalation/namespace", Decision::Ask, Severity::Critical, sure,
          "This enters the namespaces of another process ({}).", "", other_namespace},
};

}  // namespace

constinit const Pack escalation_pack = {
    .name = "escalation",
    .about = "becoming somebody with more rights",
    .on_by_default = false,
    .checks = checks,
};

}  // namespace husk::decide
