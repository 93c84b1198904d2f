// Against becoming somebody with more rights, now or later.
#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <sstream>

#include "base/names.h"
#include "decide/arguments.h"
#include "decide/check.h"
#include "decide/expansion.h"
#include "decide/files.h"
#include "decide/only_tells.h"
#include "decide/path.h"
#include "decide/removal.h"

namespace husk::decide {
namespace {

using parse::Via;
using parse::Word;

constexpr double sure = 0.9;

bool is_elsewhere(const Scene& scene) { return comes_via(scene.script, scene.index, Via::Remote); }

// setpriv --reuid=0 x, sg root x
bool takes_identity(const parse::Command& command) {
    const std::string program = command.program();
    const Arguments arguments = read_arguments(arguments_of(command));
    if (program == "setpriv")
        return std::ranges::any_of(arguments.options, [](const Option& option) {
            // Options may be shortened.
            return option.is_long && option.name.size() > 1 &&
                   (std::string_view("reuid").starts_with(option.name) ||
                    std::string_view("regid").starts_with(option.name) ||
                    is_one_of(option.name.substr(0, 2), "ru eu rg eg gr") ||
                    (option.name.size() > 3 &&
                     std::string_view("init-groups").starts_with(option.name)));
        });
    if (!is_one_of(program, "sg newgrp")) return false;
    const auto group =
        std::ranges::find_if(arguments.operands, [](const Word& word) { return !word.is("-"); });
    return group != arguments.operands.end() &&
           is_one_of(group->shown(), "root wheel sudo shadow disk 0");
}

std::optional<std::string> other_user(const Scene& scene) {
    const std::string program = scene.command.program();
    const bool becomes =
        is_one_of(program,
                  "sudo sudoedit su doas pkexec runuser run0 gosu su-exec visudo vipw vigr dzdo "
                  "ksu sudo-rs su-rs") ||
        takes_identity(scene.command);
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

bool is_cluster_ending_in(std::string_view text, char letter) {
    return text.size() > 1 && text[0] == '-' && text[1] != '-' && text.ends_with(letter);
}

// What `--name value`, `--name=value` and, for an option of one letter, `-n value`, `-nvalue` and
// `-n=value` give at this word. Empty: another option.
std::string option_value(std::span<const Word> words, size_t at, std::string_view name,
                         char letter = '\0') {
    const std::string text = words[at].shown();
    const std::string next = at + 1 < words.size() ? words[at + 1].shown() : "";
    if (text == name) return next;
    if (text.starts_with(std::string(name) + "=")) return text.substr(name.size() + 1);
    if (letter == '\0') return "";
    if (is_cluster_ending_in(text, letter)) return next;
    if (!text.starts_with(std::string("-") + letter)) return "";
    return text.substr(text.starts_with(std::string("-") + letter + "=") ? 3 : 2);
}

// The directory of this machine in type=bind,src=/x,dst=/y. Keys ignore case, and a field may be
// quoted.
std::string mount_source(std::string mount) {
    std::erase(mount, '"');
    std::istringstream fields(mount);
    for (std::string field; std::getline(fields, field, ',');) {
        const size_t equals = std::min(field.find('='), field.size());
        std::string key = field.substr(0, equals);
        std::ranges::transform(key, key.begin(), [](unsigned char letter) {
            return static_cast<char>(std::tolower(letter));
        });
        if (is_one_of(key, "src source") && equals < field.size()) return field.substr(equals + 1);
    }
    return "";
}

// The root of this machine, or more rights on it than its own.
bool gives_machine(std::span<const Word> words, size_t at, const Context& context) {
    const std::string text = words[at].shown();
    if (is_one_of(text, "--privileged --privileged=true --privileged=1")) return true;
    if (option_value(words, at, "--pid") == "host") return true;
    if (is_one_of(option_value(words, at, "--cap-add"),
                  "ALL all SYS_ADMIN sys_admin CAP_SYS_ADMIN cap_sys_admin"))
        return true;
    const std::string volume = option_value(words, at, "--volume", 'v');
    const std::string mount = option_value(words, at, "--mount");
    const std::array sources = {volume.substr(0, volume.find(':')), mount_source(mount)};
    return std::ranges::any_of(sources, [&](const std::string& source) {
        return source.starts_with('/') && is_root(path_of(known_word(source), context), context);
    });
}

// docker run -v /:/host and docker run --privileged give the machine away.
std::optional<std::string> machine_in_container(const Scene& scene) {
    if (!is_one_of(scene.command.program(), "docker podman nerdctl docker-compose podman-compose"))
        return std::nullopt;
    const auto words = arguments_of(scene.command);
    for (size_t i = 0; i < words.size(); ++i) {
        if (!gives_machine(words, i, scene.context)) continue;
        const std::string text = words[i].shown();
        const bool is_whole = i + 1 == words.size() || text.contains('=') || text.contains('/') ||
                              text == "--privileged";
        return is_whole ? text : text + " " + words[i + 1].shown();
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
